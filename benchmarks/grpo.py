"""`python -m benchmarks.grpo`: GRPO here beside TRL's, on the same decoder shape, batch and token counts.

Single turns of fixed length, because TRL plays no sessions of worlds. Both sample with a cache, score with
the same reward, and take one Adam step; the fastest update of all rounds counts. `--micro-batch` may name
several: the one that is fastest for TRL counts.
"""

import argparse
import json
import sys
from collections.abc import Sequence

from benchmarks.command import finish, parser, progressed, write
from benchmarks.grpo_work import Work
from benchmarks.sides import Figures, Side, SideError, taking_turns
from benchmarks.table import Row, lines
from planet.command import Parser, positive
from policy.config import PRESETS

OURS = "here"
WARM = 2
"""Updates before those that are timed: the first compiles, the second finds all memory in place."""


def main(argv: list[str] | None = None) -> int:
    """Measure both and print a table."""
    made = _parser()
    given = made.parse_args(argv)
    work = _work(given)
    if work.group < 2:
        made.error(f"--group: {work.group} is not allowed; GRPO compares at least 2 episodes of a task")
    for micro in given.micro_batch:
        if work.episodes % micro:
            made.error(f"--micro-batch: {micro} does not divide {work.episodes} episodes; give a divisor")
    changes = settings_from(made, given.set)
    return finish(made, lambda: _compared(given, work, changes))


def _parser() -> Parser:
    made = parser("grpo", __doc__)
    made.add_argument("--preset", choices=sorted(PRESETS), default="tiny", help="shape (default tiny)")
    made.add_argument("--prompts", type=positive, default=16, help="tasks of an update (default 16)")
    made.add_argument("--group", type=positive, default=8, help="episodes of a task (default 8)")
    made.add_argument("--read", type=positive, default=40, help="tokens of a prompt (default 40)")
    made.add_argument("--said", type=positive, default=40, help="tokens of an answer (default 40)")
    made.add_argument(
        "--micro-batch", type=positive, nargs="+", default=[128, 32], metavar="N",
        help="episodes that TRL differentiates at once (default: tries 128 and 32)",
    )  # fmt: skip
    made.add_argument(
        "--set", action="append", default=[], metavar="NAME=JSON", help="another setting of TRL's GRPOConfig"
    )
    return made


def _compared(given: argparse.Namespace, work: Work, changes: Figures) -> int:
    task = work._asdict()
    sides = [Side(OURS, "benchmarks.grpo_ours", sys.executable, task)]
    for micro in given.micro_batch:
        more = {"micro_batch": micro, "settings": changes}
        sides.append(Side(f"TRL/{micro}", "benchmarks.grpo_trl", given.peer_python, {**task, **more}))
    found = taking_turns(sides, given.rounds, progressed)
    for line in report(work, found):
        print(line)
    if given.json is not None:
        write({"work": task, "sides": found}, given.json)
    return 0


def _work(given: argparse.Namespace) -> Work:
    shape = PRESETS[given.preset]
    return Work(
        width=shape.width, layers=shape.layers, heads=shape.heads, kv_heads=shape.kv_heads,
        head_width=shape.head_width, hidden=shape.hidden, rows=shape.vocabulary_rows,
        prompts=given.prompts, group=given.group, read=given.read, said=given.said,
        warm=WARM, repeat=given.repeat, threads=given.threads,
    )  # fmt: skip


def settings_from(made: Parser, pairs: Sequence[str]) -> Figures:
    """Settings from NAME=JSON; what is no JSON is a text."""
    found: Figures = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            made.error(f"--set: {pair!r} is no NAME=JSON; write e.g. torch_compile=true")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def report(work: Work, found: dict[str, list[Figures]]) -> list[str]:
    """Lines on figures of all sides; the fastest of the other program's settings counts."""
    for name, rounds in found.items():
        for figures in rounds:
            if figures["counts"] != work.wanted:
                raise SideError(f"{name} counted {figures['counts']} tokens instead of {work.wanted}")
    peers = {name: fastest(rounds) for name, rounds in found.items() if name != OURS}
    chosen = min(peers, key=lambda name: peers[name]["seconds"])
    ours, theirs = fastest(found[OURS]), peers[chosen]
    rows = [
        Row("episodes_per_s", work.episodes / ours["seconds"], work.episodes / theirs["seconds"],
            "sampled, scored and learned from"),
        Row("sampled_per_s", work.wanted["said"] / ours["generating"],
            work.wanted["said"] / theirs["generating"], "tokens, while sampling"),
        Row("update_ms", 1e3 * ours["updating"], 1e3 * theirs["updating"], "of the other half"),
        Row("memory_mib", ours["memory"] / 2**20, theirs["memory"] / 2**20, "most that the process held"),
        Row("memory_added_mib", (ours["memory"] - ours["memory_before"]) / 2**20,
            (theirs["memory"] - theirs["memory_before"]) / 2**20, "since before the first update"),
    ]  # fmt: skip
    tried = [f"{name}: {work.episodes / told['seconds']:.1f} episodes/s" for name, told in peers.items()]
    return [
        f"{work.prompts} prompts x {work.group}, {work.read} tokens read and {work.said} said each, "
        f"float32, {work.threads} threads, fastest of {len(found[OURS])} x {work.repeat} updates",
        *lines(rows, OURS, chosen),
        f"tried      {'; '.join(tried)}",
        *(f"settings   {name}: {json.dumps(found[name][0]['settings'])}" for name in (OURS, chosen)),
    ]


def fastest(rounds: Sequence[Figures]) -> dict[str, float]:
    """The update that took the least time as a whole, with its parts; the most memory of any round."""
    updates = [
        dict(zip(("seconds", "generating", "updating"), one, strict=True))
        for figures in rounds
        for one in zip(figures["seconds"], figures["generating"], figures["updating"], strict=True)
    ]
    best = min(updates, key=lambda update: update["seconds"])
    most = max(rounds, key=lambda figures: figures["memory"])
    return {**best, "memory": most["memory"], "memory_before": most["memory_before"]}


if __name__ == "__main__":
    raise SystemExit(main())
