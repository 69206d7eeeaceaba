"""`python -m planet.play DIR WORLD TASK`: solve a task by hand, in a terminal or from a pipe.

A line is a tool and its arguments, e.g. `get_invoice {"id": "INV-0007"}`, or a word of the command's own,
e.g. `answer done`. The rules are those of a policy: a line that cannot be read as a call is a turn all the
same.
"""

import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from planet.command import REFUSED, Parser, command, run
from planet.inspect.sentences import plain, shown
from planet.records.episode import ToolResult
from planet.records.task import Task
from planet.records.view import ToolSpec
from planet.replay import print_grade
from planet.store import StoredWorld, read_world, task_named, world_named
from planet.tasks.grow import TURNS
from planet.whole_file import check_place, write_whole
from planet.world.session import Session

HELP = "a line is: TOOL {arguments as JSON} | answer TEXT | tools | help TOOL | task | history | quit"


def main(argv: list[str] | None = None) -> int:
    """Play one episode. Exit code 0 when all passes, 1 when not, 2 for wrong use."""
    return run(_parser(), _run, argv)


def _parser() -> Parser:
    parser = command(
        "play",
        "Solve a task by hand; it is graded at the end. A line that cannot be read as a call of an offered "
        "tool costs a turn and a penalty, as a policy's would: a tenth of the reward each.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="worlds made by planet.synthesize")
    parser.add_argument("world", metavar="WORLD_ID", help="or how it begins")
    parser.add_argument("task", metavar="TASK_ID", help="or how it begins; planet.inspect lists them")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the trajectory, for planet.replay")
    return parser


def _run(given: Namespace) -> int:
    if given.save:
        check_place(given.save)  # before anything is played
    stored = read_world(given.folder, world_named(given.folder, given.world))
    task = task_named(stored, given.task)
    session = Session(stored.world, stored.key, turns=TURNS[stored.world.brief.profile])
    session.begin(task)
    game = _Game(stored, task, session)
    print(*game.opening(), sep="\n")
    answer = game.play(_lines(session))
    trajectory = session.finish(answer, "turn_limit" if answer is None else "answer")
    try:
        grade = session.grade()
        print_grade(grade, task)
    finally:  # what was played is kept, whatever becomes of the grade
        if given.save:
            write_whole(given.save, trajectory.model_dump_json())
    return 0 if grade.all_pass else REFUSED


class _Game:
    """One episode, line by line."""

    def __init__(self, stored: StoredWorld, task: Task, session: Session) -> None:
        self.stored, self.task, self.session = stored, task, session
        self.tools = {tool.name: tool for tool in task.view.tools}

    def opening(self) -> list[str]:
        """Who one is, what is to be done, and how."""
        role = self.task.view.role.replace("_", " ")
        return [
            plain(f"{self.stored.world.company.name}, you are its {role}."),
            plain(f"task: {self.task.view.instruction}"),
            f"{HELP}; {self.session.turns_left} calls",
        ]

    def play(self, lines: Iterator[str]) -> str | None:
        """Execute line by line; the answer, or None when there was none."""
        for line in lines:
            head, _, rest = line.strip().partition(" ")
            if head == "answer":
                return rest.strip()
            if head == "quit":
                return None
            print(*(self._told(head, rest.strip()) or self._called(line, head, rest)), sep="\n")
        print(
            "the lines ended without an answer, so it is graded as it stands; to end an episode: answer TEXT"
        )
        return None

    def _told(self, head: str, rest: str) -> list[str]:
        """The answer to a word of the command's own, which is no turn; empty when it is none."""
        if head == "help" and rest and rest not in self.tools:
            return [_no_tool(rest, self.tools)]
        if head == "help" and rest:
            return _schema_told(self.tools[rest])
        if head == "history":
            return [_call_told(n, *call) for n, call in enumerate(self.session.calls, 1)] or ["no call yet"]
        if head == "task":
            return self.opening()
        if head in ("tools", "help", ""):
            return [*map(_tool_told, self.tools.values()), HELP]
        return []

    def _called(self, line: str, head: str, rest: str) -> list[str]:
        if self.session.turns_left == 0:
            return ["no turns left; only `answer` remains"]
        arguments = _arguments(rest)
        if arguments is None:
            result = self.session.call(None, {"raw": line})
            return [f"{result.error}: what follows the tool must be a JSON object", HELP]
        result = self.session.call(head, arguments)
        if head not in self.tools:
            return [_no_tool(head, self.tools)]
        return [plain(result.error) if result.error else _payload(result)]


def _lines(session: Session) -> Iterator[str]:
    """Lines typed or piped in, until there are no more."""
    typed = sys.stdin.isatty()
    if typed:
        import readline  # noqa: F401  (input() then edits lines, and brings earlier ones back)
    while True:
        if typed:
            try:
                line = input(f"{session.turns_left} left > ") + "\n"
            except EOFError:
                print()
                return
        else:
            line = sys.stdin.readline()
        if not line:
            return
        yield line


def _arguments(text: str) -> Any:
    """The JSON after the name of a tool, {} when there is nothing; None when it is no JSON object."""
    try:
        value = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


# ── what is told ──────────────────────────────────────────────────────────────────────────────────


def _payload(result: ToolResult) -> str:
    """On a line of its own in a pipe, a line per field in a terminal."""
    if not sys.stdin.isatty():
        return shown(result.payload)
    return "\n".join(map(plain, json.dumps(result.payload, ensure_ascii=False, indent=1).splitlines()))


def _tool_told(tool: ToolSpec) -> str:
    names = _within(tool.parameters, "properties")
    needed = tool.parameters.get("required", ())
    return plain(f"  {tool.name:<28} {', '.join(n if n in needed else f'[{n}]' for n in names)}")


def _schema_told(tool: ToolSpec) -> list[str]:
    """What a tool does, and what each argument takes."""
    lines = [tool.description]
    for name in _within(tool.parameters, "properties"):
        kind = _kind(_within(tool.parameters, "properties", name))
        lines.append(
            f"  {name:<16} {kind}{', needed' if name in tool.parameters.get('required', ()) else ''}"
        )
    return [plain(line) for line in lines]


def _within(value: Any, *path: str) -> dict[str, Any]:
    """What lies at a path into a schema, which may come from anyone; {} when that is no object."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    parts = _within(schema, "items", "properties")
    if parts:
        told = (f"{name}: {_kind(_within(parts, name))}" for name in parts)
        return f"list of {{{', '.join(told)}}}"
    return str(schema.get("format", schema.get("type", "any value")))


def _no_tool(name: str, tools: dict[str, ToolSpec]) -> str:
    near = get_close_matches(name, tools, n=1)
    return plain(f"unknown tool {name[:60]!r}{f'; did you mean {near[0]}?' if near else ''}")


def _call_told(number: int, tool: str | None, arguments: dict[str, Any], result: ToolResult) -> str:
    said = plain(result.error) if result.error else shown(result.payload)
    return f"{number:>3} {plain(tool or 'unreadable')} {shown(arguments)}\n    {said}"


if __name__ == "__main__":
    raise SystemExit(main())
