"""A sweep's policies tested again: longer, as one by itself would be, once a run, and beside the results."""

import json
import shutil
from pathlib import Path

import pytest

from analysis.contrasts.__main__ import main as contrasts
from analysis.contrasts.sweep import read_sweep as read_results_of_sweep
from analysis.run_result import read_result, read_results
from loop.evaluate import main as evaluate
from loop.sweep.places import Places
from loop.sweep.plan import begin, plan_of
from loop.sweep.retest import main
from loop.sweep.runs import read_sweep
from loop.sweep.seed import run_seed
from tests.loop.sweeps import write_sweep


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Places:
    """A sweep of one seed, whose `static` went on to the charged steps of `closed_loop`."""
    place = tmp_path_factory.mktemp("swept")
    budget = "budget: {updates: 2, charged_steps: match closed_loop, further_updates: 2}\n"
    sweep = read_sweep(write_sweep(place, budget), ("seeds=[10]",))
    places = Places(place / "runs", place / "results")
    run_seed(sweep, 10, places, begin(plan_of(sweep), places.results, resume=False))
    return places


@pytest.fixture
def results(swept: Places, tmp_path: Path) -> Path:
    """A copy of its results."""
    return shutil.copytree(swept.results, tmp_path / "results")


def retest(swept: Places, results: Path, *more: str) -> int:
    """The command, on a copy of the results."""
    return main([str(results), str(swept.runs), "--rollouts", "3", *more])


def test_every_policy_is_tested_longer_and_the_results_stay(swept: Places, results: Path) -> None:
    before = {file.name: file.read_bytes() for file in results.glob("*.json")}
    assert retest(swept, results) == 0
    assert {file.name: file.read_bytes() for file in results.glob("*.json")} == before
    first, again = read_results(results), read_results_of_sweep(results, retest=True)
    assert again.retested is not None and again.retested[:3] == (2, 2, 3)
    assert read_results_of_sweep(results).retested is None
    assert [run.name for run in again.runs] == ["closed_loop-s10", "static-s10"]
    for old, new in zip(first, again.runs, strict=True):
        assert all(task.final_sampled.rollouts == 3 for task in new.tasks)
        extended = [task.extended_sampled for task in new.tasks]
        assert (
            all(e is None for e in extended)
            if new.arm == "closed_loop"
            else all(e is not None and e.rollouts == 3 for e in extended)
        )
        kept = [
            (t.task_id, t.warm_sampled, t.warm_greedy, t.final_greedy, t.extended_greedy) for t in old.tasks
        ]
        assert kept == [
            (t.task_id, t.warm_sampled, t.warm_greedy, t.final_greedy, t.extended_greedy) for t in new.tasks
        ]
        assert old.curve == new.curve and old.charged == new.charged


@pytest.mark.parametrize(("arm", "stage"), [("closed_loop", "final"), ("static", "extended")])
def test_one_policy_by_itself_is_scored_alike(
    swept: Places, results: Path, tmp_path: Path, arm: str, stage: str
) -> None:
    assert retest(swept, results, "--arms", arm) == 0
    run = swept.run(arm, 10)
    last = max(int(place.stem) for place in (run / "checkpoints").iterdir())
    lines = tmp_path / "episodes.jsonl"
    asked = [str(run / "checkpoints" / str(last)), str(run / "worlds"), "--split", "test", "--rollouts", "3"]
    assert evaluate([*asked, "--episodes", str(lines)]) == 0
    alone: dict[str, list[bool]] = {}
    for line in map(json.loads, lines.read_text(encoding="utf-8").splitlines()):
        alone.setdefault(line["task"], []).append(line["success"])
    found = read_results_of_sweep(results, retest=True).runs[0]
    tries = {task.task_id: getattr(task, f"{stage}_sampled") for task in found.tasks}
    assert {task: list(each.passed) for task, each in tries.items()} == alone
    if stage == "extended":
        assert any(task.final_sampled != tries[task.task_id] for task in found.tasks)


def test_the_same_command_tests_what_is_missing_only(
    swept: Places, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert retest(swept, results, "--arms", "static") == 0
    file = results / "retest" / "static-s10.json"
    kept = file.read_bytes()
    capsys.readouterr()
    assert retest(swept, results) == 0
    out = capsys.readouterr().out
    assert "static-s10" not in out and "closed_loop-s10: all-pass" in out and file.read_bytes() == kept
    assert retest(swept, results) == 0
    assert "all-pass" not in capsys.readouterr().out


def test_a_comparison_says_which_test_it_is_of(
    swept: Places, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert retest(swept, results) == 0
    assert contrasts([str(results), "--retest"]) == 0
    out = capsys.readouterr().out
    assert "second test, 3 rollouts a task" in out and "left out" not in out
    (results / "retest" / "static-s10.json").unlink()
    assert contrasts([str(results), "--retest"]) == 0
    assert "Runs without one, 1 of 2, are left out." in capsys.readouterr().out
    assert "second test" in (results / "retest" / "contrasts" / "findings.md").read_text()
    assert contrasts([str(results)]) == 0
    assert "second test" not in (results / "contrasts" / "findings.md").read_text()


def test_wrong_use_is_told_in_one_line(
    swept: Places, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*more: str, runs: Path = swept.runs) -> str:
        assert main([str(results), str(runs), *more]) == 2
        return capsys.readouterr().err

    assert "--arms: 'stale' has no result; there are closed_loop, static" in refused("--arms", "stale")
    assert "--seeds: '3' has no result; there are 10" in refused("--seeds", "3")
    assert "--arms: '' has no result" in refused("--arms", "")
    assert "closed_loop-s10 is not there, nor any other" in refused(runs=tmp_path / "nowhere")
    assert contrasts([str(results), "--retest"]) == 2
    assert "holds no retest" in capsys.readouterr().err
    assert retest(swept, results) == 0
    assert "was tested with 3 rollouts a task, not 16; give --rollouts 3" in refused()
    file = results / "retest" / "static-s10.json"
    file.write_text("{")
    assert "cannot be read as a retest" in refused("--rollouts", "3")


def test_a_directory_of_another_run_or_of_an_unfinished_one_is_refused(
    swept: Places, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "runs"
    for name in ("closed_loop-s10", "static-s10"):
        shutil.copytree(swept.runs / "static-s10", runs / name)
    other = read_result(results / "static-s10.json").run_id
    assert main([str(results), str(runs), "--arms", "closed_loop"]) == 2
    assert f"holds run {other}, not" in capsys.readouterr().err
    (runs / "static-s10" / "finished").unlink()
    assert main([str(results), str(runs), "--arms", "static"]) == 2
    assert "static-s10: the run in it is not finished; resume its sweep" in capsys.readouterr().err


def test_checkpoints_or_worlds_of_another_run_are_refused_and_nothing_is_written(
    swept: Places, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(swept.runs / "static-s10", runs / "static-s10")
    shutil.rmtree(runs / "static-s10" / "checkpoints")
    shutil.copytree(swept.runs / "closed_loop-s10" / "checkpoints", runs / "static-s10" / "checkpoints")
    asked = [str(results), str(runs), "--arms", "static", "--rollouts", "1"]
    assert main(asked) == 2
    assert "is of another run, closed_loop-" in capsys.readouterr().err
    index = runs / "static-s10" / "worlds" / "splits.json"
    stored = json.loads(index.read_text())
    index.write_text(json.dumps(stored | {"worlds": stored["worlds"][:-1]}))
    assert main(asked) == 2
    assert "worlds: its splits hash to" in capsys.readouterr().err
    index.write_text("[]")
    assert main(asked) == 2
    assert "splits.json: cannot be read" in capsys.readouterr().err
    assert not (results / "retest").exists()


def test_retests_of_other_lengths_or_tasks_are_not_compared(
    swept: Places, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert retest(swept, results) == 0
    file = results / "retest" / "static-s10.json"
    whole = json.loads(file.read_text())
    longer = [
        {**task, **{s: {**task[s], "passed": [*task[s]["passed"], True]} for s in ("final", "extended")}}
        for task in whole["tasks"]
    ]
    file.write_text(json.dumps(whole | {"rollouts": 4, "tasks": longer}))
    assert contrasts([str(results), "--retest"]) == 2
    assert "with 3 rollouts a task, static-s10 with 4; test them equally long" in capsys.readouterr().err
    file.write_text(json.dumps(whole | {"tasks": whole["tasks"][1:]}))
    assert contrasts([str(results), "--retest"]) == 2
    assert "is of tasks of another test" in capsys.readouterr().err
    odd = {**whole["tasks"][0], "final": {"passed": [True] * 3, "reward": 7.0}}
    for changed, told in (
        ({"rollouts": 2}, "or is not whole"),
        ({"tasks": [odd, *whole["tasks"][1:]]}, "or is not whole"),
        ({"arm": "closed_loop"}, "is of arm closed_loop, not static"),
        ({"tasks": [{**task, "extended": None} for task in whole["tasks"]]}, "its policies are not those of"),
    ):
        file.write_text(json.dumps(whole | changed))
        assert contrasts([str(results), "--retest"]) == 2
        assert told in capsys.readouterr().err
