"""The bench measures what it says, and nothing compiles in the part that it times."""

import json
from pathlib import Path

import pytest

from policy.bench import main
from policy.measurement import MEANING, measure


def test_the_bench_writes_what_it_prints_and_compiles_nothing_while_it_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measure("micro", 16, 1, tmp_path / "figures.json")
    said = capsys.readouterr().out
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures.pop("preset") == "micro"
    assert figures.keys() == MEANING.keys()
    assert all(line.split()[0] in MEANING for line in said.splitlines())
    assert figures["programs_in_steady_state"] == 0 < figures["programs"]
    assert figures["agreement"] < 1e-5
    assert 0 < figures["rollout_in_python"] < 1
    assert 0 < figures["prefill_used"] <= 1 and 0 < figures["decoding_used"] <= 1
    assert figures["rollout_sampled_per_s"] < figures["rollout_tokens_per_s"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--episodes", "0"], "argument --episodes: '0' is no whole number of 1 or more"),
        (["--preset", "large"], "argument --preset: invalid choice: 'large'"),
        (["--json", "nowhere/a.json"], "--json: nowhere is no folder; make it, or name another file"),
    ],
)
def test_wrong_use_is_told_in_one_line_before_anything_is_measured(
    given: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(given)
    said = capsys.readouterr()
    assert told in said.err and said.err.count("\n") == 1 and not said.out
