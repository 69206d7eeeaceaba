"""However a command of the policy ends, its user sees one line, or nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from planet.command import REFUSED, WRONG_USE, Parser
from policy.command import finish
from policy.errors import WeightsError

ROOT = Path(__file__).parents[2]
PRINTING = """
from planet.command import Parser
from policy.command import finish
raise SystemExit(finish(Parser(prog="x"), lambda: print("a line") or {verdict}))
"""


class OfTheCaller(Exception):
    pass


@pytest.mark.parametrize("error", [WeightsError("a\nb"), OfTheCaller("a b")])
def test_what_the_policy_or_the_caller_refuses_is_one_line(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> int:
        raise error

    assert finish(Parser(prog="x"), work, OfTheCaller) == WRONG_USE
    assert capsys.readouterr().err == "x: a b\n"


@pytest.mark.parametrize(
    ("unbuffered", "verdict", "code"),
    [("", 0, 0), ("1", 0, 0), ("", REFUSED, REFUSED), ("1", REFUSED, 0)],  # 0: it ended before its verdict
)
def test_a_reader_that_has_seen_enough_is_no_refusal(unbuffered: str, verdict: int, code: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-c", PRINTING.format(verdict=verdict)],
        stdout=writer, stderr=subprocess.PIPE, cwd=ROOT, check=False,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )  # fmt: skip
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (code, b"")
