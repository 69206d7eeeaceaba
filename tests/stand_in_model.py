"""A stand-in for a language model, for trying the pages' commands without one.

`python -m tests.stand_in_model --port 8000` speaks the OpenAI protocol on loopback until it is stopped. Asked
for a link of a world, it answers as the template author would. Asked to play, it answers with the plan of the
task, which it reads from the keys of the folder `--worlds`. It knows no language: nothing that it earns says
anything about a model.
"""

import argparse
import re
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planet.catalog import load_catalog
from planet.command import Parser, positive, run
from planet.records.task import Task
from planet.store import read_world, world_ids
from tests.loop.api_replies import oracle, task_asked
from tests.planet.llm_replies import drawing
from tests.planet.llm_server import Said, Status, serving

Answer = Said | Status | str


def main(argv: list[str] | None = None) -> int:
    """Serve until stopped. Exit code 130 then, 2 for wrong use."""
    parser = Parser(prog="python -m tests.stand_in_model", description="A stand-in for a language model.")
    parser.add_argument("--port", type=positive, default=8000, metavar="N", help="of loopback (default 8000)")
    parser.add_argument("--worlds", type=Path, metavar="DIR", help="worlds whose tasks it can play")
    parser.add_argument(
        "--solves", type=_share, default=1.0, metavar="SHARE", help="of the tasks it plays (default 1: all)"
    )
    return run(parser, _run, argv)


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share between 0 and 1")
    return share


def _run(given: argparse.Namespace) -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also when it was begun in the background
    tasks = (
        [t for name in world_ids(given.worlds) for t in read_world(given.worlds, name).tasks]
        if given.worlds
        else []
    )
    with serving(stand_in(tasks, given.solves), port=given.port) as server:
        print(f"a stand-in for a model at {server.address}; Ctrl-C stops it", file=sys.stderr, flush=True)
        threading.Event().wait()
    return 0


def stand_in(tasks: list[Task], solves: float = 1.0) -> Callable[[dict[str, Any]], Answer]:
    """A line for the server: the link of a world that is asked for, or the next move of an episode."""
    authors = {profile: drawing(load_catalog(profile=profile)) for profile in ("compact", "library")}
    plays = oracle(tasks)

    def line(request: dict[str, Any]) -> Answer:
        try:
            if "tools" not in request:
                library = re.search(r'"profile": ?"library"', request["messages"][1]["content"])
                return authors["library" if library else "compact"](request)
            known = _is_solved(task_asked(tasks, request), solves)
            return plays(request) if known else Said("I do not know how")
        except (StopIteration, LookupError, TypeError):
            return Status(
                400, "the stand-in can author worlds, and play the tasks of --worlds; it knows no other words"
            )

    return line


def _is_solved(task: Task, share: float) -> bool:
    """Whether the task is among the share: always the same ones, spread evenly by their ids."""
    return int(task.id[:8], 16) < share * 16**8


if __name__ == "__main__":
    raise SystemExit(main())
