"""However a command of PLANET ends, its user sees one line."""

from pathlib import Path

import pytest

from planet.command import REFUSED, WRONG_USE, command, finish
from planet.errors import StorageError
from planet.validate import main as validate


def raising(error: BaseException) -> int:
    raise error


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (StorageError("a\nb"), WRONG_USE, "python -m planet.x: a b\n"),
        (
            FileNotFoundError(2, "No such file", "y"),
            WRONG_USE,
            "python -m planet.x: [Errno 2] No such file: 'y'\n",
        ),
        (
            OSError(28, "No space left on device"),
            WRONG_USE,
            "python -m planet.x: [Errno 28] No space left on device; "
            "free some space, then type the same command again\n",
        ),
        (KeyboardInterrupt(), 130, "python -m planet.x: stopped\n"),
    ],
)
def test_an_error_is_one_line(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert finish(command("x", "x"), lambda: raising(error)) == code
    assert capsys.readouterr().err == said


def test_an_error_that_nobody_foresaw_is_one_line_that_names_the_file_with_its_traceback(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert finish(command("x", "x"), lambda: raising(KeyError("what\nis this"))) == REFUSED
    said = capsys.readouterr().err
    assert said.startswith("python -m planet.x: KeyError in test_command.py, line ") and said.count("\n") == 1
    (file,) = tmp_path.iterdir()
    assert str(file) in said and "Traceback (most recent call last)" in file.read_text()


def test_a_name_that_the_terminal_cannot_show_ends_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        print("folder \udcff")
        return 0

    assert finish(command("x", "x"), work) == 0


@pytest.mark.parametrize("arguments", [[], ["a", "--jobs", "0"], ["/none"], ["a", "--catalog", "/none"]])
def test_wrong_use_of_validate_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = validate(arguments)
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    assert code == WRONG_USE and capsys.readouterr().err.count("\n") == 1
