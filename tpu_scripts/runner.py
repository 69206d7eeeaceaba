"""Runs commands, or only shows them."""

import shlex
import shutil
import subprocess
from collections.abc import Callable

from tpu_scripts.errors import GcloudError, SliceError

ANSWER_SECONDS = 900  # a program that says nothing for so long is given up; ssh alone tries for a minute


class Runner:
    """Runs lists of arguments without a shell. With `dry_run` it prints them, quoted, and answers nothing."""

    def __init__(self, dry_run: bool = False, say: Callable[[str], None] = print) -> None:
        self.dry_run = dry_run
        self.say = say

    def ask(self, command: list[str], patience: float | None = ANSWER_SECONDS) -> str:
        """Run a command; what it printed. GcloudError with its last line when it fails.

        `patience`: seconds after which it is given up; None, never, for copies, which take as long as
        they are large.
        """
        if not self._ready(command):
            return ""
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                timeout=patience, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise GcloudError(f"{_name(command)}: no answer within {patience:g} s; try again") from None
        if done.returncode:
            raise GcloudError(f"{_name(command)}: {_reason(done.stderr, done.returncode)}", done.stderr)
        return done.stdout

    def show(self, command: list[str]) -> None:
        """Run a command whose output the user sees as it comes. GcloudError when it fails."""
        if not self._ready(command):
            return
        done = subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            raise GcloudError(f"{_name(command)}: exit code {done.returncode}; its lines above say why")

    def _ready(self, command: list[str]) -> bool:
        if self.dry_run:
            self.say(shlex.join(command))
            return False
        if shutil.which(command[0]) is None:
            raise SliceError(
                f"{command[0]}: not found; install the Google Cloud CLI and log in with `gcloud auth login`, "
                "or add --dry-run to see the commands"
            )
        return True


def _name(command: list[str]) -> str:
    """The words of a command before its arguments and flags: `gcloud compute tpus tpu-vm ssh`."""
    depth = 3 if command[1:2] == ["storage"] else 5
    return " ".join(command[:depth])


def _reason(stderr: str, code: int) -> str:
    """The line of an error that says most: gcloud's own, or else the last."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("ERROR:")]
    return (own or lines or [f"exit code {code}"])[-1]
