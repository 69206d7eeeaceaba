"""The bench measures what it says, and nothing compiles in the part that it times."""

import json
from pathlib import Path

import pytest

from policy import measurement
from policy.bench import PRESETS, main
from policy.measurement import MEANING, configured, measure, time_rollouts
from policy.rollout import Work


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


def test_the_share_of_python_is_that_of_all_repetitions(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    lengths = iter((5.0, 1.0, 3.0))  # the first compiles

    class Engine:
        compilations = 1
        work = Work()

        def run(self, params: object, wanted: object, seed: int) -> list[object]:
            nonlocal now
            length = next(lengths)
            now += length
            self.work.in_python += length / 2
            return []

    monkeypatch.setattr(measurement, "RolloutEngine", lambda *parts: Engine())
    monkeypatch.setattr(measurement.time, "perf_counter", lambda: now)
    speed, _ = time_rollouts(*configured("micro"), {}, 8, 2)
    assert speed.seconds == 1.0
    assert speed.in_python == 0.5  # (0.5 + 1.5) / (1 + 3), not 1 / 1


@pytest.mark.parametrize("preset", PRESETS)
def test_a_shape_that_is_offered_differs_in_its_rows_alone(preset: str) -> None:
    config, codec = configured(preset)
    assert config.decoder == measurement.PRESETS[preset].model_copy(
        update={"vocabulary_rows": codec.vocabulary.rows}
    )
    assert measurement.PRESETS[preset].vocabulary_rows <= codec.vocabulary.rows


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--episodes", "0"], "argument --episodes: '0' is no whole number of 1 or more"),
        (["--preset", "large"], "argument --preset: invalid choice: 'large'"),
        (["--preset", "qwen3-4b"], "argument --preset: invalid choice: 'qwen3-4b'"),  # not a shape for words
        (["--json", "nowhere/a.json"], "argument --json: 'nowhere/a.json' is no place for a file"),
        (["--json", "/"], "argument --json: '/' is no place for a file; name one in a folder that exists"),
    ],
)
def test_wrong_use_is_told_in_one_line_before_anything_is_measured(
    given: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(given)
    said = capsys.readouterr()
    assert told in said.err and said.err.count("\n") == 1 and not said.out
