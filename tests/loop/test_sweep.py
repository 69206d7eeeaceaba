"""Sweeps: killed or not they find the same, results stand for runs, and the plan cannot change under way."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from analysis.run_result import RunResult, read_result, read_results
from loop.config import Config
from loop.errors import Interrupted, SweepError
from loop.resuming.interruption import Interruption
from loop.sweep import cores
from loop.sweep.__main__ import main
from loop.sweep.arms import run_arm
from loop.sweep.places import Places
from loop.sweep.plan import differences, plan_of
from loop.sweep.runs import read_sweep
from loop.sweep.seed import run_seed
from planet.identity import digest
from tests.loop.sweeps import ROOT, command, run, write_sweep

BUDGET = (
    "budget: {updates: 2, charged_steps: match closed_loop, further_updates: 4}\n"
    "contrasts: [[closed_loop, static]]\ntest_salt: fresh\n"
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """(file, folder, output) of a sweep that nobody disturbed."""
    place = tmp_path_factory.mktemp("whole")
    file = write_sweep(place, BUDGET)
    done = run(file, place, "--jobs", "2")
    assert done.returncode == 0, done.stderr
    return file, place, done.stdout


def test_a_sweep_tells_of_each_run_its_time_left_and_its_results(whole: tuple[Path, Path, str]) -> None:
    _, place, out = whole
    assert re.search(r"^sweep tiny, plan [0-9a-f]{16}: 0 of 4 runs done, about .* left$", out, re.M)
    for seed in (10, 11):
        assert f"seed {seed}, closed_loop: begins; output in {place}/runs/seed-{seed}.log" in out
        assert re.search(
            rf"^seed {seed}, static: test all-pass [0-9.]+% sampled, .* steps charged, ", out, re.M
        )
    assert "4 of 4 runs done, about 0 s left" in out
    assert f"results    {place}/results" in out


def test_each_run_leaves_a_result_that_names_plan_and_configuration(whole: tuple[Path, Path, str]) -> None:
    file, place, _ = whole
    sweep = read_sweep(file)
    results = read_results(place / "results")
    assert [(r.arm, r.seed) for r in results] == [
        ("closed_loop", 10), ("closed_loop", 11), ("static", 10), ("static", 11)
    ]  # fmt: skip
    assert {r.plan_digest for r in results} == {digest(plan_of(sweep))}
    assert {r.experiment for r in results} == {"tiny"}
    for seed in (10, 11):
        pair = [r for r in results if r.seed == seed]
        assert pair[0].splits_digest == pair[1].splits_digest and pair[0].warm_start == pair[1].warm_start
        warm = [[(t.task_id, t.warm_sampled, t.warm_greedy) for t in r.tasks] for r in pair]
        assert warm[0] == warm[1]
        assert pair[0].targeted == pair[1].targeted  # of one first report, common to the arms
    assert len({r.splits_digest for r in results}) == 2
    assert (place / "results" / "plan.json").stat().st_size > 0


def test_a_result_holds_what_a_comparison_needs(whole: tuple[Path, Path, str]) -> None:
    result = read_result(whole[1] / "results" / "closed_loop-s10.json")
    assert {t.part for t in result.tasks} == {"test", "test_reserved"}  # micro: one world of each
    assert len(result.tasks) == 2 * 8 and all(t.final_sampled.rollouts == 1 for t in result.tasks)
    assert all(any(cell == f"family:{t.family}" for cell in t.cells) for t in result.tasks)
    assert [p.updates for p in result.curve] == [0, 2]
    assert result.curve[0].charged_steps == 0 < result.curve[1].charged_steps
    assert result.updates == 2 and result.charged_steps == sum(result.charged.values())
    assert {"audit", "diagnose", "train"} <= set(result.charged) and {"test", "validate"} <= set(
        result.uncharged
    )
    assert [cell.rank for cell in result.targeted] == list(range(1, len(result.targeted) + 1))
    assert sum(cell.seats for cell in result.targeted) == 2  # 3 x 0.7 = 2.1 of the quota
    assert {r.dimension for r in result.footprint} >= {"tasks", "worlds", "tools", "combinations"}
    assert [g.briefs for g in result.growth] == [3] and result.made.seconds > 0


def test_a_cheaper_arm_goes_on_until_it_was_charged_as_much_or_its_cap(whole: tuple[Path, Path, str]) -> None:
    matched = read_result(whole[1] / "results" / "closed_loop-s11.json")
    static = read_result(whole[1] / "results" / "static-s11.json")
    assert matched.extension is None and static.extension is not None
    assert static.extension.budget == matched.charged_steps > static.charged_steps
    assert static.updates == 2 and static.extension.updates == 4 and not static.extension.reached  # the cap
    assert [p.updates for p in static.curve] == [0, 2, 4, 6]
    assert all(t.extended_sampled is not None and t.extended_greedy is not None for t in static.tasks)
    assert all(t.extended_sampled is None for t in matched.tasks)
    assert static.curve[-1].charged_steps == static.charged_steps + sum(static.extension.charged.values())


@pytest.mark.slow
def test_a_sweep_killed_in_its_second_run_and_resumed_finds_what_an_undisturbed_one_does(
    whole: tuple[Path, Path, str], tmp_path: Path
) -> None:
    file, undisturbed, _ = whole
    process = subprocess.Popen(command(file, tmp_path, "seeds=[10]"), cwd=ROOT, stdout=subprocess.DEVNULL)
    lines = tmp_path / "runs" / "static-s10" / "metrics.jsonl"
    wait_until(lambda: lines.exists() and '"kind": "update"' in lines.read_text())
    seed = int((lines.parent / "lock").read_text())
    os.kill(process.pid, signal.SIGKILL)
    os.kill(seed, signal.SIGKILL)
    process.wait()
    wait_until(lambda: not alive(seed))
    assert not (lines.parent / "finished").exists()
    assert [p.name for p in (tmp_path / "results").glob("*-s*.json")] == ["closed_loop-s10.json"]
    resumed = run(file, tmp_path, "seeds=[10]", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert "1 of 2 runs done" in resumed.stdout and "seed 10, closed_loop: begins" not in resumed.stdout
    assert found(tmp_path, 10) == found(undisturbed, 10)


def found(place: Path, seed: int) -> list[dict]:
    """What the runs of a seed found; the plan apart, which names all seeds."""
    results = [r for r in read_results(place / "results") if r.seed == seed]
    return [{k: v for k, v in r.content().items() if k != "plan_digest"} for r in results]


def test_results_stand_for_runs_whose_directories_are_gone(
    whole: tuple[Path, Path, str], tmp_path: Path
) -> None:
    shutil.copytree(whole[1] / "results", tmp_path / "results")
    before = {p.name: p.read_bytes() for p in (tmp_path / "results").glob("*.json")}
    done = run(whole[0], tmp_path, "--resume")
    assert done.returncode == 0, done.stderr
    assert "4 of 4 runs done" in done.stdout and "begins" not in done.stdout
    assert {p.name: p.read_bytes() for p in (tmp_path / "results").glob("*.json")} == before


def test_a_seed_outlives_neither_ctrl_c_nor_its_sweep(tmp_path: Path) -> None:
    file = write_sweep(tmp_path, "overrides: {updates_per_iteration: 500}\n")
    lines = tmp_path / "runs" / "static-s10" / "metrics.jsonl"

    def recorded() -> int:
        return len(lines.read_text().splitlines()) if lines.exists() else 0

    for stop, flags in ((signal.SIGINT, []), (signal.SIGKILL, ["--resume"])):
        known = recorded()
        asked = command(file, tmp_path, *flags)
        pipe = subprocess.PIPE
        process = subprocess.Popen(asked, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)
        wait_until(lambda known=known: recorded() > known + 4)
        seed = int((lines.parent / "lock").read_text())
        process.send_signal(stop)
        _, err = process.communicate(timeout=60)
        wait_until(lambda seed=seed: not alive(seed))
        if stop == signal.SIGINT:
            assert process.returncode == 130 and err.count("\n") == 1
            assert "stopped as asked; continue with: python -m loop.sweep " in err
            assert err.rstrip().endswith("--resume")


def test_a_failed_seed_is_told_with_its_last_line_and_the_others_go_on(tmp_path: Path) -> None:
    file = write_sweep(tmp_path, arms=("static",))
    (tmp_path / "runs" / "static-s10").mkdir(parents=True)
    (tmp_path / "runs" / "static-s10" / "mine.txt").write_text("do not touch")
    done = run(file, tmp_path)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "1 of 2 seeds failed; seed 10: " in done.stderr and "already exists and holds files" in done.stderr
    assert "mend that, then add --resume" in done.stderr
    assert [p.name for p in (tmp_path / "results").glob("*-s*.json")] == ["static-s11.json"]


def test_a_changed_plan_is_refused_and_what_differs_is_named(
    whole: tuple[Path, Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, place, _ = whole
    folders = ["--runs", f"{tmp_path}/runs", "--results", f"{place}/results"]
    assert main([str(file), *folders]) == 2
    assert "a sweep began there; add --resume to go on" in capsys.readouterr().err
    for change, named in (
        ("seeds=[10]", "arms.closed_loop.seeds: [10,11] -> [10]"),
        ("test_salt=other", 'test_salt: "fresh" -> "other"'),
        ("overrides.prompts_per_update=3", "arms.closed_loop.config.prompts_per_update: 2 -> 3"),
        ("contrasts=[]", 'contrasts: [["closed_loop","static"]] -> []'),
        ("metrics=[reward_sampled]", '-> ["reward_sampled"]'),
    ):
        for flag in ("--resume", "--dry-run"):
            assert main([str(file), change, *folders, flag]) == 2
            error = capsys.readouterr().err
            assert "the plan has changed (" in error and named in error and error.count("\n") == 1


def test_a_result_of_something_else_in_the_place_of_a_run_is_refused(
    whole: tuple[Path, Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(whole[1] / "results", tmp_path / "results")
    files = Places(tmp_path / "runs", tmp_path / "results")
    asked = [str(whole[0]), "--resume", "--runs", str(files.runs), "--results", str(files.results)]
    shutil.copy(files.result("static", 11), files.result("static", 10))
    assert main(asked) == 2
    assert (
        "static-s10.json: is of seed 11, not 10; remove it and the run directory, " in capsys.readouterr().err
    )
    files.result("static", 10).write_text('{"arm": "static"')
    assert main(asked) == 1
    error = capsys.readouterr().err
    assert "static-s10.json is not a result file of schema 1" in error and error.count("\n") == 1


def test_a_finished_directory_of_another_run_is_not_taken_for_one_of_the_sweep(
    whole: tuple[Path, Path, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(whole[1] / "runs" / "static-s10", tmp_path / "runs" / "static-s10")
    folders = ["--runs", f"{tmp_path}/runs", "--results", f"{tmp_path}/results"]
    changed = ["seeds=[10]", "budget.charged_steps=null", "contrasts=[]"]
    file = write_sweep(tmp_path, BUDGET, arms=("static", "random_worlds"))
    assert main([str(file), *folders, *changed]) == 1
    assert f"{tmp_path}/runs/static-s10: holds run static-" in capfd.readouterr().err
    assert not (tmp_path / "results" / "static-s10.json").exists()


def test_a_dry_run_tells_runs_and_measured_costs_and_makes_nothing(
    whole: tuple[Path, Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, place, _ = whole
    assert main([str(file), "--dry-run", "--runs", f"{tmp_path}/r", "--results", f"{tmp_path}/new"]) == 0
    fresh = capsys.readouterr().out
    assert re.search(r"^closed_loop +10 11 +0/2 +2 +- +\d+ s guessed +-$", fresh, re.M)
    assert re.search(r"^static +10 11 +0/2 +2 +- +\d+ s guessed +closed_loop$", fresh, re.M)
    assert "runs       4 of 2 arms at 2 seeds" in fresh and list(tmp_path.iterdir()) == []
    assert main([str(file), "--dry-run", "--runs", f"{place}/runs", "--results", f"{place}/results"]) == 0
    measured = capsys.readouterr().out
    assert re.search(
        r"^static +10 11 +2/2 +2 +[0-9,]+ measured +\d+ s measured +closed_loop$", measured, re.M
    )
    assert "time       about 0 s for what is left" in measured


@pytest.mark.slow
def test_an_arm_starts_from_the_final_pool_of_another_at_its_seed(tmp_path: Path) -> None:
    file = write_sweep(tmp_path)
    start = "{config: static.yaml, start_from: {arm: closed_loop, key: final_pool}}"
    file.write_text(file.read_text().replace("config: static.yaml", start, 1))
    sweep, places = read_sweep(file), Places(tmp_path / "runs", tmp_path / "results")
    run_seed(sweep, 10, places, digest(plan_of(sweep)))
    grown, given = (read_result(places.result(arm, 10)) for arm in ("closed_loop", "static"))
    pools = [[r.pool for r in run.footprint if r.dimension == "tasks"] for run in (grown, given)]
    assert pools[0] == pools[1] and grown.growth[0].admitted == 3
    assert given.growth[0].admitted == 0 and given.charged_steps < grown.charged_steps
    with pytest.raises(SweepError, match="the sweep was changed under way, so it no longer follows plan p"):
        run_seed(sweep, 11, places, "p")


def test_differences_name_every_leaf() -> None:
    old = {"a": {"b": 1, "c": [1, 2]}, "d": 1, "e": None}
    new = {"a": {"b": 2, "c": [1, 2]}, "e": None, "f": 0}
    assert list(differences(old, new)) == ["a.b: 1 -> 2", "d: gone", "f: new"]
    assert list(differences(old, old)) == []


def test_results_survive_the_disk_and_their_content_leaves_clocks_out(whole: tuple[Path, Path, str]) -> None:
    result = read_result(whole[1] / "results" / "static-s10.json")
    slower = result.replace(made=result.made.replace(seconds=1e6, commit="another"))
    assert slower.content() == result.content() and slower != result
    assert RunResult.model_validate_json(result.model_dump_json()) == result


def wait_until(condition, seconds: float = 240.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)


def alive(process: int) -> bool:
    """Whether a process that is not our child runs, zombies left out."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_seeds_side_by_side_get_cores_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {4, 0, 2, 6, 8}, raising=False)
    assert cores.shares(2) == [(0, 2, 4), (6, 8)]
    assert cores.shares(5) == [(0,), (2,), (4,), (6,), (8,)]
    assert cores.shares(1) == [()]  # nobody to keep away from
    assert cores.shares(6) == [()] * 6  # more seeds than cores


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system keeps no process to cores")
def test_a_seed_stays_on_the_cores_it_is_given() -> None:
    share = (min(os.sched_getaffinity(0)),)
    code = (
        "import os; from loop.sweep.cores import keep_to; "
        f"keep_to({cores.written(share)!r}); print(*os.sched_getaffinity(0))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.split() == [str(core) for core in share]


def test_an_arm_that_was_asked_to_stop_in_its_last_step_is_not_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finish_while_asked(config: Config, directory: Path, resume: bool, interruption: Interruption) -> None:
        with interruption.listening(lambda line: None):
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("loop.launch.launch", finish_while_asked)
    with pytest.raises(Interrupted, match="stopped as asked"):
        run_arm(Config(), tmp_path / "run", resume=True)
