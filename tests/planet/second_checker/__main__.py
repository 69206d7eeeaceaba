"""The command `python -m tests.planet.second_checker`: the study, a table by family, every disagreement."""

import sys
import time

from joblib import Parallel, delayed

from planet.command import Parser, positive
from tests.planet.second_checker.study import FAMILIES, Tally, share, sum_of, tried_world, world_orders

LEAST = 0.99
"""Share of alternatives to be accepted, and of near misses to be rejected."""
_BATCH = 4
"""Worlds made between two lines of progress, for each process."""


def main(argv: list[str] | None = None) -> int:
    """Run the study; exit code 1 when the grader agrees on less than 99 % of either kind."""
    parser = Parser(prog="python -m tests.planet.second_checker", description=__doc__)
    parser.add_argument("--tasks", type=positive, default=60, help="tasks to try (60)")
    parser.add_argument("--seed", type=int, default=0, help="of the worlds (0)")
    parser.add_argument("--jobs", type=positive, default=1, help="processes (1)")
    options = parser.parse_args(argv)
    tally = studied(options.tasks, options.seed, options.jobs)
    print("\n".join(table(tally)))
    return int(any(agreed < LEAST * tried for agreed, tried in (share(tally, True), share(tally, False))))


def studied(tasks: int, seed: int, jobs: int) -> Tally:
    """World after world until so many tasks were tried."""
    started, orders, tallies, done = time.monotonic(), world_orders(seed), [], 0
    with Parallel(n_jobs=jobs) as parallel:
        while done < tasks:
            wanted = max(1, min(_BATCH * jobs, -(-(tasks - done) // 10)))
            rest = [next(orders) for _ in range(wanted)]
            tallies += parallel(delayed(tried_world)(order, min(10, tasks - done)) for order in rest)
            done = sum(sum(tally.tasks.values()) for tally in tallies)
            spent = time.monotonic() - started
            print(f"{done} of {tasks} tasks, {spent:.0f} s", file=sys.stderr, flush=True)
    return sum_of(tallies)


def table(tally: Tally) -> list[str]:
    """The lines of the report: counts by family, by way, then what is to be looked at."""
    total = sum(tally.tasks.values())
    lines = [f"{total} tasks: " + ", ".join(f"{name} {n}" for name, n in sorted(tally.tasks.items())), ""]
    lines.append(f"{'family':<14} {'alternatives accepted':>24} {'near misses rejected':>24}")
    for family in (*FAMILIES, None):
        cells = [_cell(*share(tally, right, family=family)) for right in (True, False)]
        lines.append(f"{family or 'all':<14} {cells[0]:>24} {cells[1]:>24}")
    lines += ["", f"{'way':<38} {'agreed':>24}"]
    for right, way in dict.fromkeys((place[1], place[2]) for place in tally.tried):
        lines.append(f"{way:<38} {_cell(*share(tally, right, way=way)):>24}")
    lines += ["", f"{len(tally.remarks)} to be looked at"]
    return lines + [" | ".join(remark) for remark in tally.remarks]


def _cell(agreed: int, tried: int) -> str:
    return f"{agreed:,} / {tried:,} {100 * agreed / tried:6.2f} %" if tried else "none"


if __name__ == "__main__":
    raise SystemExit(main())
