"""What a user can get wrong around a run ends in one line, and leaves nothing that stands in the way."""

from pathlib import Path

import pytest

from loop.command import FAILED, one_line_errors
from loop.errors import ConfigError
from loop.evaluate import main as evaluate
from loop.launch import launch
from loop.loading import load
from loop.propose import author_of
from loop.sweep.runs import read_sweep

MICRO = Path("experiments/micro.yaml").resolve()


@pytest.mark.parametrize(
    "override",
    [
        "learner=none.none:X",
        "author=none.none:X",
        "ledger=foo://bar",
        "ledger=/none/x.sqlite",
        "catalog=/none",
    ],
)
def test_what_a_configuration_has_wrong_is_told_before_a_directory_is_made(
    override: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with one_line_errors() as outcome:
        launch(load(MICRO, ("learner=tests.loop.fakes:NoisyOracle", override)), tmp_path / "run")
    assert outcome.code in (1, 2) and capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("override", ["policy.decoder=micro", "policy.decoder.vocabulary_rows=4"])
def test_a_decoder_without_a_row_for_every_word_is_refused(override: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is less than the [0-9]+ ids of the vocabulary; give 1024"):
        launch(load(MICRO, (override, f"cache={tmp_path}/cache")), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ConfigError("a\nb"), 2, "a b\n"),
        (
            PermissionError(13, "Permission denied", "x"),
            1,
            "[Errno 13] Permission denied: 'x'; make that place",
        ),
        (KeyboardInterrupt(), 130, "stopped\n"),
        (ZeroDivisionError("division\nby zero"), 1, "ZeroDivisionError in test_wrong_use.py, line "),
    ],
)
def test_every_error_is_one_line(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with one_line_errors() as outcome:
        raise error
    told = capsys.readouterr().err
    assert outcome.code == code and told.startswith(said) and told.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["1", "--temperature", "nan"], "--temperature: nan is not allowed"),
        (["1", "--temperature", "inf"], "--temperature: inf is not allowed"),
        (["1", "--k", "0"], "--k: 0 is not allowed; give 1 to 4, the rollouts"),
        (["1", "--k", "5"], "--k: 5 is not allowed"),
        (["1", "--episodes", "/none/e.jsonl"], "--episodes: /none/e.jsonl is no place for a file"),
        (["\u00b2"], "not a checkpoint of a run"),
        (["9" * 5000], "not a checkpoint of a run"),
        (["1"], "not a run directory"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_score_that_cannot_be_had_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate([f"{tmp_path}/{arguments[0]}", str(tmp_path), *arguments[1:]]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("name: ..", "name: '..' is not allowed"),
        (f"name: {'x' * 300}", "name: "),
        ("contrasts: [[closed_loop, closed_loop]]", "'closed_loop' is compared with itself"),
        ("budget: {further_updates: yes}", "budget.further_updates: True is not allowed; give a number"),
    ],
)
def test_a_sweep_that_cannot_be_meant_is_refused(line: str, said: str, tmp_path: Path) -> None:
    name = "" if line.startswith("name") else "name: s\n"
    (tmp_path / "s.yaml").write_text(f"{name}{line}\nseeds: [0]\narms: [{{config: {MICRO}}}]\n")
    with pytest.raises(ConfigError) as caught:
        read_sweep(tmp_path / "s.yaml")
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["{", "2020-13-45", "", "5", "[a]", "{x: 1}", "&a [*a]"])
def test_an_author_that_cannot_be_read_is_one_line(text: str) -> None:
    with pytest.raises(ConfigError, match="cannot be read; write template, module:Class"):
        author_of(text, None)


def test_a_reader_that_has_seen_enough_leaves_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    with one_line_errors() as outcome:
        raise BrokenPipeError(32, "Broken pipe")
    assert outcome.code == FAILED and capfd.readouterr().err.count("\n") == 1
