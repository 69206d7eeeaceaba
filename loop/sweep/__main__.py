"""Arms times seeds: `python -m loop.sweep CONFIG [--jobs N] [--dry-run] [--resume] [key=value ...]`."""

import argparse
import shlex
import sys
from pathlib import Path

from loop.command import one_line_errors
from loop.errors import Interrupted
from loop.sweep.places import Places
from loop.sweep.runs import Sweep, read_sweep
from planet.command import Parser, positive


def parser() -> Parser:
    """The command line."""
    made = Parser(prog="python -m loop.sweep", description="Run arms at several seeds, then compare them.")
    made.add_argument("config", type=Path, help="a YAML file, e.g. experiments/compare_small.yaml")
    made.add_argument(
        "overrides", nargs="*", metavar="key=value", help="replaces a key of the sweep, e.g. seeds=[10,11]"
    )
    made.add_argument("--jobs", type=positive, default=1, metavar="N", help="seeds side by side (default 1)")
    made.add_argument("--backend", choices=("local", "ray"), default="local", help="where seeds run")
    made.add_argument("--runs", type=Path, metavar="DIR", help="run directories (default: runs/NAME)")
    made.add_argument(
        "--results", type=Path, metavar="DIR", help="result files (default: experiments/results/NAME)"
    )
    made.add_argument("--dry-run", action="store_true", help="print the runs and what they cost")
    made.add_argument("--resume", action="store_true", help="go on with a sweep that was stopped or killed")
    return made


def main(argv: list[str] | None = None) -> int:
    """The command; its exit code is 0, 2 for wrong use, 130 when stopped by Ctrl-C, 1 for other failures."""
    given = parser().parse_intermixed_args(argv)
    with one_line_errors() as outcome:
        sweep = read_sweep(given.config, tuple(given.overrides))
        places = places_of(given, sweep)
        if given.dry_run:
            from loop.sweep.dry_run import dry_run

            print("\n".join(dry_run(sweep, places, given.jobs)))
            return outcome.code
        from loop.sweep.running import run_sweep

        try:
            outcome.code = run_sweep(sweep, places, given)
        except (Interrupted, KeyboardInterrupt) as stopped:
            how = str(stopped) or "stopped at once"
            raise Interrupted(f"{how}; continue with: {resume_command(given)}") from None
    return outcome.code


def places_of(given: argparse.Namespace, sweep: Sweep) -> Places:
    """The folders of the sweep."""
    name = sweep.config.name
    return Places(given.runs or Path("runs") / name, given.results or Path("experiments/results") / name)


def resume_command(given: argparse.Namespace) -> str:
    """The command that continues this sweep."""
    words = ["python", "-m", "loop.sweep", str(given.config), *given.overrides, "--jobs", str(given.jobs)]
    for flag, value in (("--runs", given.runs), ("--results", given.results)):
        words += [flag, str(value)] if value is not None else []
    words += ["--backend", given.backend] if given.backend != "local" else []
    return shlex.join([*words, "--resume"])


if __name__ == "__main__":
    sys.exit(main())
