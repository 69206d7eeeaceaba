"""`python -m planet.serve DIR WORLD`: the world over MCP, for agents of any make."""

import sys
from argparse import ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from planet.command import Parser, command, positive, run
from planet.errors import PlanetError, StorageError
from planet.store import StoredWorld, read_world, task_named, world_named

if TYPE_CHECKING:
    from planet.serve.visit import Outcome

PORT = 8321


def main(argv: list[str] | None = None) -> int:
    """Serve until the client goes (stdio) or the server is stopped (http). Exit code 2 for wrong use."""
    return run(_parser(), _run, argv)


def _parser() -> Parser:
    parser = command("serve", "A world over MCP; each client gets its own copy, and one task to solve in it.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="worlds made by planet.synthesize")
    parser.add_argument("world", metavar="WORLD_ID", help="or how it begins")
    parser.add_argument("--task", metavar="TASK_ID", help="of every client (default: the tasks in turn)")
    parser.add_argument("--transport", choices=("stdio", "http"), default="stdio", help="default stdio")
    parser.add_argument("--port", type=_port, default=PORT, metavar="N", help=f"of http (default {PORT})")
    parser.add_argument("--grades", type=Path, metavar="FILE", help="append grades there, not on stderr")
    parser.add_argument("--clients", type=positive, default=32, metavar="N", help="at once (default 32)")
    parser.add_argument(
        "--idle", type=positive, default=1800, metavar="S", help="seconds until a silent client is let go"
    )
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise ArgumentTypeError(f"{text!r} is no port; use 0 (any that is free) to 65535")
    return int(text)


def _run(given: Namespace) -> int:
    stored = read_world(given.folder, world_named(given.folder, given.world))
    tasks = (task_named(stored, given.task),) if given.task else stored.tasks
    if not tasks:
        raise StorageError(f"world {stored.world.id} has no tasks; serve one that planet.synthesize made")
    if given.grades is None:
        return _serve(given, stored, tasks, None)
    with given.grades.open("a", encoding="utf-8") as file:
        return _serve(given, stored, tasks, file)


def _serve(given: Namespace, stored: StoredWorld, tasks: tuple, file: TextIO | None) -> int:
    try:
        import anyio

        from planet.serve.transport import HOST, listen, over_http, over_stdio
        from planet.serve.wire import mcp_server
    except ImportError as error:
        raise PlanetError(f"{error}; install the extra: pip install -e '.[mcp]'") from error
    from planet.serve.visit import Desk

    server = mcp_server(Desk(stored, tasks, lambda outcome: _report(outcome, file)))
    if given.transport == "stdio":
        anyio.run(over_stdio, server)
        return 0
    with listen(given.port) as at:
        where = f"http://{HOST}:{at.getsockname()[1]}/mcp"
        _say(f"serving world {stored.world.id}, {len(tasks)} of its tasks in turn, at {where}")
        anyio.run(over_http, server, at, given.clients, float(given.idle))
    return 0


def _report(outcome: "Outcome", file: TextIO | None) -> None:
    """A line for whoever runs the server; with a file, the grade stands only there."""
    task = outcome.trajectory.task_id
    said = f"client {outcome.client} {'finished' if outcome.finished else 'left'} task {task}"
    if file is not None:
        file.write(outcome.model_dump_json() + "\n")
        file.flush()
    elif outcome.grade is None:
        said += f"; it could not be graded: {outcome.problem}"
    else:
        verdict = "all pass" if outcome.grade.all_pass else "not all pass"
        said += f": {verdict}, reward {outcome.grade.reward:.3f}"
    _say(said)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
