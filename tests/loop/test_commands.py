"""The commands: what they print, what they refuse, and how they end."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loop.evaluate import main as evaluate
from loop.run import main
from loop.tracking.delivery import main as deliver

ROOT = Path(__file__).resolve().parents[2]
MICRO = ["experiments/micro.yaml", "learner=tests.loop.fakes:NoisyOracle"]


def launch(module: str, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(module: str, *arguments: str) -> tuple[int, str, str]:
    process = launch(module, *arguments)
    out, err = process.communicate(timeout=180)
    return process.returncode, out, err


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """(place of cache and run, output) of a finished run."""
    place = tmp_path_factory.mktemp("finished")
    code, out, err = run("loop.run", *MICRO, f"cache={place}/cache", "--run-dir", f"{place}/run")
    assert code == 0, err
    return place, out


def test_a_run_tells_of_scores_weakest_cells_worlds_footprint_and_ends_with_a_verdict(
    finished: tuple[Path, str],
) -> None:
    place, out = finished
    for expected in (
        "warm start: validation all-pass ",
        "iteration 1/1: train all-pass ",
        "  weakest cells: family:",
        "  worlds: 3 admitted of 3 briefs",
        "made for targets on target",
        "  footprint so far: tasks ",
        "test all-pass (sampled) ",
        " after the warm start, ",
        "(95% interval over 2 worlds, one seed)",
        "  targeted family:",
        f"run        {place}/run",
    ):
        assert expected in out
    assert (place / "run" / "finished").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["experiments/none.yaml"], "experiments/none.yaml: cannot be read"),
        (["experiments/micro.yaml", "sed=1"], "unknown key 'sed'; did you mean 'seed'?"),
        (["experiments/micro.yaml", "seed=-1"], "seed: -1 is not allowed"),
        (["experiments/micro.yaml", "curriculum.grower=closed"], "unknown grower 'closed'; did you mean"),
        (["experiments/micro.yaml", "curriculum.sampler={type: uniform, x: 1}"], "it takes no parameters"),
        (["experiments/micro.yaml", "catalog=/none"], "/none"),
        (["experiments/micro.yaml", "--resume", "--run-dir", "/none/run"], "holds no run to resume"),
        (["experiments/micro.yaml", "--run-dir", "/proc/none/run"], "cannot be made"),
        (["experiments/micro.yaml", "--no-such-flag"], "--no-such-flag"),
        ([], "required: config"),
    ],
    ids=lambda value: " ".join(value)[-40:] if isinstance(value, list) else None,
)
def test_wrong_use_ends_in_exit_code_2_and_one_line(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(arguments)
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    error = capsys.readouterr().err
    assert code == 2 and complaint in error and error.count("\n") == 1, error


def test_an_existing_run_directory_is_refused_and_resuming_a_finished_run_repeats_its_verdict(
    finished: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    place, out = finished
    arguments = [*MICRO, f"cache={place}/cache", "--run-dir", f"{place}/run"]
    assert main(arguments) == 2
    assert "already exists and holds a finished run" in capsys.readouterr().err
    assert main([*arguments, "--resume"]) == 0
    verdict = next(line for line in out.splitlines() if line.startswith("test all-pass (sampled)"))
    assert verdict in capsys.readouterr().out


def test_ctrl_c_ends_after_the_step_with_the_resume_line_which_then_works(tmp_path: Path) -> None:
    arguments = [
        *MICRO,
        f"cache={tmp_path}/cache",
        "updates_per_iteration=500",
        "--run-dir",
        f"{tmp_path}/run",
    ]
    process = launch("loop.run", *arguments)
    lines = tmp_path / "run" / "metrics.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (lines.exists() and '"kind": "update"' in lines.read_text()):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopping after this step" in out
    assert err.count("\n") == 1 and "stopped as asked; continue with: python -m loop.run " in err
    again = err.strip().split("continue with: python -m ")[1].split()
    stopped_at = len(lines.read_text().splitlines())
    process = launch(again[0], *again[1:])
    while process.poll() is None and len(lines.read_text().splitlines()) <= stopped_at + 2:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 130
    steps = [json.loads(line)["step"] for line in lines.read_text().splitlines()]
    assert steps == list(range(len(steps))) and len(steps) > stopped_at


def test_a_second_process_on_a_run_directory_is_refused(tmp_path: Path) -> None:
    arguments = [
        *MICRO,
        f"cache={tmp_path}/cache",
        "updates_per_iteration=500",
        "--run-dir",
        f"{tmp_path}/run",
    ]
    first = launch("loop.run", *arguments)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (tmp_path / "run" / "config.json").exists():
        time.sleep(0.05)
    code, _, err = run("loop.run", *arguments, "--resume")
    assert code == 2 and f"in use by process {first.pid}; wait for it" in err and err.count("\n") == 1
    os.kill(first.pid, signal.SIGKILL)
    first.communicate(timeout=60)


def test_arms_are_compared_on_one_seed_with_one_warm_start(tmp_path: Path) -> None:
    arms = []
    for arm in ("closed_loop", "static"):
        grower = "none" if arm == "static" else arm
        path = tmp_path / f"{arm}.yaml"
        path.write_text(
            f"extends: {ROOT}/experiments/micro.yaml\nname: {arm}\narm: {arm}\n"
            f"curriculum: {{grower: {grower}}}\n"
        )
        arms.append(str(path))
    more = ["learner=tests.loop.fakes:NoisyOracle", f"cache={tmp_path}/cache", "--runs", f"{tmp_path}/runs"]
    code, out, err = run("loop.compare", *arms, *more)
    assert code == 0, err
    warm = {line for line in out.splitlines() if line.startswith("test of the warm start policy")}
    assert len(warm) == 1  # the same number for both
    assert (tmp_path / "runs" / "compare-micro-s0" / "learning_curves.png").exists()
    assert len(list((tmp_path / "cache" / "warm_start").iterdir())) == 1
    code, out, err = run("loop.compare", *arms, *more, "--resume-if-unfinished")
    assert code == 0 and "building the worlds" not in out


def test_arms_that_would_not_share_the_warm_start_are_refused() -> None:
    code, _, err = run("loop.compare", "experiments/static.yaml", "experiments/micro.yaml")
    assert code == 2 and "experiment: static and closed_loop differ" in err and err.count("\n") == 1
    code, _, err = run("loop.compare", "experiments/static.yaml", "experiments/static.yaml")
    assert code == 2 and "arm: 'static' is given twice" in err
    code, _, err = run("loop.compare", "experiments/static.yaml")
    assert code == 2 and "needs at least two YAML files" in err


def test_a_checkpoint_is_scored_by_family_and_service(finished: tuple[Path, str]) -> None:
    place, _ = finished
    code, out, err = run(
        "loop.evaluate", f"{place}/run/checkpoints/1.json", f"{place}/run/worlds", "--rollouts", "2"
    )
    assert code == 0, err
    header, total = out.splitlines()[:2]
    assert header.split()[:3] == ["episodes", "tasks", "worlds"] and "pass@2" in header
    assert total.startswith("all ") and "family:" in out and "service:" in out


def test_one_split_of_a_run_can_be_scored_and_an_unknown_one_is_refused(
    finished: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    place, _ = finished
    arguments = [f"{place}/run/checkpoints/1.json", f"{place}/run/worlds", "--rollouts", "1", "--split"]
    assert evaluate([*arguments, "test"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:4] == ["all", "16", "16", "2"]  # 2 worlds of 8
    assert evaluate([*arguments, "tset"]) == 2
    assert "has no worlds of split 'tset'; try test, validate or train" in capsys.readouterr().err


def test_scoring_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    for name, complaint in (("best", "not a checkpoint of a run"), ("7", "not a run directory")):
        code, _, err = run("loop.evaluate", str(tmp_path / "checkpoints" / name), str(tmp_path))
        assert code == 2 and complaint in err and err.count("\n") == 1


def test_delivering_from_what_is_no_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert deliver([str(tmp_path)]) == 2
    assert "not a run directory" in capsys.readouterr().err
