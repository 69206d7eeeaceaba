"""`python -m planet.play DIR WORLD TASK`: solve a task by hand, in a terminal or from a pipe.

A line is a tool and its arguments, e.g. `get_invoice {"id": "INV-0007"}`, or `answer done`. The rules are
those of a policy: a line that cannot be read as a call is a turn all the same.
"""

import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planet.command import REFUSED, Parser, command, finish
from planet.records.task import Task
from planet.records.view import ToolSpec
from planet.replay import print_grade
from planet.store import read_world, task_named, world_named
from planet.tasks.grow import TURNS
from planet.world.session import Session

HELP = "a line is: TOOL {arguments as JSON} | answer TEXT | tools | help TOOL"


def main(argv: list[str] | None = None) -> int:
    """Play one episode. Exit code 0 when all passes, 1 when not, 2 for wrong use."""
    parser = _parser()
    given = parser.parse_args(argv)
    return finish(parser, lambda: _run(given))


def _parser() -> Parser:
    parser = command("play", "Solve a task by hand; it is graded at the end.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="worlds made by planet.synthesize")
    parser.add_argument("world", metavar="WORLD_ID", help="or how it begins")
    parser.add_argument("task", metavar="TASK_ID", help="or how it begins; planet.inspect lists them")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the trajectory, for planet.replay")
    return parser


def _run(given: Namespace) -> int:
    stored = read_world(given.folder, world_named(given.folder, given.world))
    task = task_named(stored, given.task)
    session = Session(stored.world, stored.key, turns=TURNS[stored.world.brief.profile])
    session.begin(task)
    print(f"{stored.world.company.name}, you are its {task.view.role.replace('_', ' ')}.")
    print(f"task: {task.view.instruction}")
    print(f"{HELP}; {session.turns_left} calls")
    answer = _episode(session, task)
    trajectory = session.finish(answer, "turn_limit" if answer is None else "answer")
    if given.save:
        given.save.write_text(trajectory.model_dump_json(), encoding="utf-8")
    grade = session.grade()
    print_grade(grade, task)
    return 0 if grade.all_pass else REFUSED


def _episode(session: Session, task: Task) -> str | None:
    """Execute line by line; the answer, or None when input or turns came to an end without one."""
    tools = {tool.name: tool for tool in task.view.tools}
    for line in _lines():
        head, _, rest = line.strip().partition(" ")
        if head == "answer":
            return rest.strip()
        if head in ("tools", "help", ""):
            print("\n".join(_told(tools, rest.strip() if head == "help" else "")))
            continue
        if session.turns_left == 0:
            print("no turns left; only `answer` remains")
            continue
        arguments = _arguments(rest)
        result = session.call(None, {"raw": line}) if arguments is None else session.call(head, arguments)
        print(result.error or json.dumps(result.payload, ensure_ascii=False))
    return None


def _lines() -> Iterator[str]:
    """Lines typed or piped in, until there are no more."""
    while True:
        if sys.stdin.isatty():
            print("> ", end="", flush=True)
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


def _told(tools: dict[str, ToolSpec], name: str) -> list[str]:
    """Each tool in a line, or one with its schema."""
    if name in tools:
        return [tools[name].description, json.dumps(tools[name].parameters, indent=1)]
    lines = [f"  {t.name:<28} {', '.join(t.parameters['properties'])}" for t in tools.values()]
    return [*lines, HELP]


if __name__ == "__main__":
    raise SystemExit(main())
