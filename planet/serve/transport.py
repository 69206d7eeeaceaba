"""How a server is reached: over the standard streams by one client, or over HTTP on loopback by many."""

import socket
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server

HOST = "127.0.0.1"
LONGEST_REQUEST = 1 << 20
"""Bytes of one request over HTTP."""
PATIENCE = 2
"""Seconds that open connections get to end when the server is stopped."""


async def over_stdio(server: Server[Any]) -> None:
    """Serve the one client at the standard streams until it goes."""
    async with stdio_server() as (read, write):
        # not `Server.run`, which lets a client without the handshake decide that there are no sessions
        await serve_loop(server, read, write, lifespan_state={})


def listen(port: int) -> socket.socket:
    """A socket on loopback; port 0 takes any that is free. OSError when the port is taken."""
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise OSError(
            f"port {port} of {HOST} cannot be had ({error.strerror}); name another with --port"
        ) from error


async def over_http(server: Server[Any], at: socket.socket, clients: int, idle_s: float) -> None:
    """Serve streamable HTTP at `/mcp` until stopped.

    At most `clients` sessions at once; one is closed when its client says so, or has asked for nothing
    during `idle_s` seconds.
    """
    import uvicorn

    app = server.streamable_http_app(
        host=HOST,
        json_response=True,
        max_request_body_size=LONGEST_REQUEST,
        max_sessions=clients,
        session_idle_timeout=idle_s,
    )
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=PATIENCE)
    await uvicorn.Server(config).serve(sockets=[at])
