"""However a command of PLANET ends, its user sees one line."""

from pathlib import Path

import pytest

from planet.author_eval.__main__ import main as evaluate
from planet.command import REFUSED, WRONG_USE, command, finish, quotes_bounded
from planet.corpus import main as synthesize
from planet.errors import StorageError
from planet.inspect.__main__ import main as inspect
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
            "python -m planet.x: y: does not exist; check the name\n",
        ),
        (
            OSError(28, "No space left on device"),
            WRONG_USE,
            "python -m planet.x: no space is left; free some, then type the same command again\n",
        ),
        (
            FileNotFoundError(2, "No such file", "/none/y"),
            WRONG_USE,
            "python -m planet.x: /none/y: its folder does not exist; make it, or check the name\n",
        ),
        (
            IsADirectoryError(21, "Is a directory", "/tmp"),
            WRONG_USE,
            "python -m planet.x: /tmp: is a folder; give the name of a file\n",
        ),
        (
            PermissionError(13, "Permission denied", "y"),
            WRONG_USE,
            "python -m planet.x: y: permission denied; change the permissions, or give another place\n",
        ),
        (
            OSError(30, "Read-only file system", "y"),
            WRONG_USE,
            "python -m planet.x: y: lies on a disk that can only be read; give another place\n",
        ),
        (
            OSError(5, "Input/output error", "y"),
            WRONG_USE,
            "python -m planet.x: y: Input/output error; mend that, then try again\n",
        ),
        (OSError("y: is odd; mend it"), WRONG_USE, "python -m planet.x: y: is odd; mend it\n"),
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


def test_a_quote_of_more_than_200_characters_is_cut_and_the_remedy_stays() -> None:
    # 197 characters and three dots are 200
    assert quotes_bounded(f"no '{'x' * 201}'; mend") == f"no '{'x' * 197}...'; mend"
    assert quotes_bounded(f'no "{"x" * 5000}"; mend') == f'no "{"x" * 197}..."; mend'
    assert quotes_bounded(f"no '{'x' * 200}'; mend") == f"no '{'x' * 200}'; mend"


def test_the_apostrophes_of_words_are_no_quotes() -> None:
    said = f"the world's {'long ' * 60} the brief's"
    assert quotes_bounded(said) == said


def test_a_quote_with_both_kinds_of_marks_in_it_is_cut_too() -> None:
    value = "'\"" * 300
    assert quotes_bounded(f"no {value!r}; mend").endswith("...'; mend")
    assert len(quotes_bounded(f"no {value!r}; mend")) < 420  # an escaped mark is two characters


def test_wrong_use_quotes_no_more_than_200_characters(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        inspect(["a", "b", "--rows", "y" * 5000])
    said = capsys.readouterr().err.strip()
    assert len(said) < 400 and said.endswith("is no whole number of 0 or more; --help shows the usage")


@pytest.mark.parametrize("rows", ["-1", "x", "1.5", "", "1_0", " 1", "٣", "1" * 10])
def test_inspect_shows_a_whole_number_of_rows(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        inspect(["worlds", "ab", f"--rows={rows}"])
    assert stopped.value.code == WRONG_USE
    assert f"argument --rows: {rows!r} is no whole number of 0 or more" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["--budget-calls 3", "--budget-dollars 3", "--mode bare", "--no-answers"])
def test_what_belongs_to_a_model_is_refused_where_none_is_asked(
    given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    option = given.split()[0]
    assert synthesize(["--count", "1", "--out", str(tmp_path / "w"), *given.split()]) == WRONG_USE
    assert f"{option} is for --author llm, not template" in capsys.readouterr().err
    assert evaluate(["--model", "template", "--briefs", "none", *given.split()]) == WRONG_USE
    assert f"{option} is for a language model, not template" in capsys.readouterr().err
    assert not (tmp_path / "w").exists()


def test_a_country_in_small_letters_is_understood_as_a_slip(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert synthesize(["--count", "1", "--out", str(tmp_path / "w"), "--country", "br"]) == WRONG_USE
    assert "no country code 'br'; did you mean 'BR'?" in capsys.readouterr().err
