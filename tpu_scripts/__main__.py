"""`python -m tpu_scripts COMMAND`: a TPU slice from asking for it to giving it back."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tpu_scripts.errors import SliceError, UseError
from tpu_scripts.runner import Runner

if TYPE_CHECKING:
    from tpu_scripts.settings import Settings

INTERRUPTED = 130
PROGRAM = "python -m tpu_scripts"
SUMMARIES = {
    "create": "ask for a slice and wait until it is there",
    "setup": "the repository and its environment on every worker",
    "launch": "start a run on all workers, or go on with it",
    "watch": "how the run is, until it ends",
    "collect": "copy the run directories here",
    "delete": "give the slice back",
}


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """One line."""
        self.exit(UseError.exit_code, f"{self.prog}: {message}; --help shows the usage\n")


def parser() -> Parser:
    """The first word of the command line."""
    lines = "\n".join(f"  {name:<8} {summary}" for name, summary in SUMMARIES.items())
    made = Parser(
        prog=PROGRAM,
        description="A TPU slice, from asking for it to giving it back.\n\n" + lines,
        epilog="COMMAND --help tells more; --dry-run prints what a command would run.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("command", choices=list(SUMMARIES), metavar="COMMAND", help="one of the above")
    return made


def parser_of(command: str) -> Parser:
    """The rest of the command line of a command."""
    made = Parser(prog=f"{PROGRAM} {command}", description=SUMMARIES[command].capitalize() + ".")
    made.add_argument(
        "--slice", type=Path, default=Path(__file__).with_name("slice.yaml"), metavar="FILE",
        help="settings (default: tpu_scripts/slice.yaml)",
    )  # fmt: skip
    made.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="replace a setting")
    made.add_argument("--dry-run", action="store_true", help="print the commands and run none")
    if command in ("launch", "watch"):
        made.add_argument(
            "config", nargs="?" if command == "watch" else None, help="as of loop.run: experiments/smoke.yaml"
        )
        made.add_argument("overrides", nargs="*", metavar="key=value", help="as of loop.run: seed=1")
    if command in ("launch", "watch", "collect", "delete"):
        made.add_argument("--run-dir", metavar="PLACE", help="runs/NAME, or gs://BUCKET/PATH/NAME")
    _add_own(made, command)
    return made


def _add_own(made: Parser, command: str) -> None:
    if command == "create":
        made.add_argument("--hours", type=_hours, metavar="N", help="tell what so many hours cost")
    elif command == "setup":
        made.add_argument("--no-check", action="store_true", help="leave out the check of the devices")
    elif command == "watch":
        made.add_argument("--once", action="store_true", help="look once")
        made.add_argument("--lines", type=_count, default=5, metavar="N", help="last lines of each log (5)")
        made.add_argument(
            "--restart-preempted",
            type=_count,
            default=0,
            metavar="N",
            help="go on, at most N times (0)",
        )
    elif command == "collect":
        made.add_argument("--out", type=Path, metavar="DIR", help="default: runs/tpu/NAME")
    elif command == "delete":
        made.add_argument("--yes", action="store_true", help="do not ask back")


def main(argv: list[str] | None = None) -> int:
    """The command; exit code 2 for wrong use, 1 when gcloud, the slice or the run is at fault."""
    words = sys.argv[1:] if argv is None else argv
    command = parser().parse_args(words[:1]).command
    given = parser_of(command).parse_intermixed_args(words[1:])
    try:
        _ACTIONS[command](given)
    except SliceError as error:
        print(f"{PROGRAM} {command}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("stopped looking; what was asked for or launched goes on", file=sys.stderr)
        return INTERRUPTED
    return 0


def _settings(given: argparse.Namespace) -> "Settings":
    from tpu_scripts.places import run_place
    from tpu_scripts.settings import load

    settings = load(given.slice, given.set)
    if getattr(given, "run_dir", None):
        run_place(given.run_dir)
        settings = replace(settings, run_dir=given.run_dir)
    return settings


def _create(given: argparse.Namespace) -> None:
    from tpu_scripts.create import create

    create(Runner(given.dry_run), _settings(given), given.hours)


def _setup(given: argparse.Namespace) -> None:
    from tpu_scripts.prepare import prepare

    prepare(Runner(given.dry_run), _settings(given), not given.no_check)


def _launch(given: argparse.Namespace) -> None:
    from tpu_scripts.chips_in_use import require_chips_in_use
    from tpu_scripts.launch import launch, program

    runner, settings = Runner(given.dry_run), _settings(given)
    started = program(given.config, given.overrides)
    require_chips_in_use(runner, settings, started)
    launch(runner, settings, started)


def _watch(given: argparse.Namespace) -> None:
    from tpu_scripts.launch import program
    from tpu_scripts.watch import Watch

    started = program(given.config, given.overrides) if given.config else None
    watch = Watch(Runner(given.dry_run), _settings(given), started, given.restart_preempted, given.lines)
    if given.dry_run:
        watch.commands()
    else:
        watch.until_end(given.once)


def _collect(given: argparse.Namespace) -> None:
    from tpu_scripts.collect import collect

    settings = _settings(given)
    found = collect(Runner(given.dry_run), settings, given.out or Path("runs/tpu") / settings.run.name)
    for directory in found:
        print(directory)


def _delete(given: argparse.Namespace) -> None:
    from tpu_scripts.delete import delete

    delete(Runner(given.dry_run), _settings(given), given.yes)


_ACTIONS: dict[str, Callable[[argparse.Namespace], None]] = {
    "create": _create,
    "setup": _setup,
    "launch": _launch,
    "watch": _watch,
    "collect": _collect,
    "delete": _delete,
}


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 0 or more")
    return int(text)


def _hours(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of hours")
    return number


if __name__ == "__main__":
    sys.exit(main())
