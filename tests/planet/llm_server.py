"""A small OpenAI-compatible server in a thread, which says what a script tells it to.

A line of the script is the content of an answer, or one of the misfortunes below; the last line is said again
and again. A function gets the request (parsed JSON) and returns a line.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(frozen=True)
class Status:
    """An error of the endpoint."""

    code: int
    message: str = "no"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Said:
    """An answer with its particulars."""

    content: str | None
    finish: str = "stop"
    tokens: tuple[int, int] = (100, 20)  # in, out
    calls: tuple[tuple[Any, Any], ...] = ()  # name and arguments of tool calls
    refusal: str | None = None


@dataclass(frozen=True)
class Silence:
    """No answer for some seconds."""

    seconds: float


class NoChoices:
    """An answer without choices."""


class Garbage:
    """An answer that is no JSON."""


Line = str | Status | Said | Silence | NoChoices | Garbage | Callable[[dict[str, Any]], Any]


@dataclass
class Server:
    """Where the server is, what it says, and what it was asked."""

    address: str
    lines: Sequence[Line]
    requests: list[dict[str, Any]] = field(default_factory=list)  # bodies, in order
    headers: list[dict[str, str]] = field(default_factory=list)  # of each request, names in lower case

    def line(self, request: dict[str, Any]) -> Any:
        """What is said to a request that has been added; with several at a time, in no certain order."""
        line = self.lines[min(len(self.requests), len(self.lines)) - 1]
        return line(request) if callable(line) else line


@contextmanager
def serving(*lines: Line, port: int = 0) -> Iterator[Server]:
    """A server on loopback that says `lines`, one per request. `port`: 0 takes any that is free."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    server.daemon_threads = True
    server.told = Server(f"http://127.0.0.1:{server.server_port}/v1", lines)  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.told  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Any request is a chat completion."""
        told: Server = self.server.told  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = json.loads(body)
        told.requests.append(request)
        told.headers.append({name.lower(): value for name, value in self.headers.items()})
        line = told.line(request)
        if isinstance(line, Silence):
            time.sleep(line.seconds)
            line = "late"
        if isinstance(line, Status):
            self._send(line.code, json.dumps({"error": {"message": line.message}}), line.headers)
        elif isinstance(line, Garbage):
            self._send(200, "<html>busy</html>", {})
        else:
            self._send(200, json.dumps(_completion(line)), {})

    def _send(self, code: int, text: str, headers: dict[str, str]) -> None:
        data = text.encode()
        try:
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)
        except OSError:  # the client has gone
            self.close_connection = True

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


def _completion(line: str | Said | NoChoices) -> dict[str, Any]:
    said = Said(line) if isinstance(line, str) else line
    choices = []
    tokens = (100, 0)
    if isinstance(said, Said):
        tokens = said.tokens
        message: dict[str, Any] = {"role": "assistant", "content": said.content}
        if said.calls:
            message["tool_calls"] = [_call(number, *call) for number, call in enumerate(said.calls)]
        if said.refusal is not None:
            message["refusal"] = said.refusal
        choices = [{"index": 0, "message": message, "finish_reason": said.finish}]
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": choices,
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }


def _call(number: int, name: Any, arguments: Any) -> dict[str, Any]:
    return {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
