"""The commands around a TPU slice, against a gcloud that acts on folders."""

import ast
import json
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from tests.project.fake_gcloud import ROOT, Cloud
from tpu_scripts.__main__ import SUMMARIES, main
from tpu_scripts.chips import chips, hosts
from tpu_scripts.errors import SliceError
from tpu_scripts.launch import program
from tpu_scripts.runner import ANSWER_SECONDS, Runner
from tpu_scripts.settings import checked
from tpu_scripts.states import Request
from tpu_scripts.watch import Watch
from tpu_scripts.worker import Files, mirror, restore, status, supervise

COMMIT = "0123456789abcdef0123456789abcdef01234567"
SETTINGS = {
    "name": "curricula",
    "project": "my-project",
    "zone": "europe-west4-b",
    "accelerator_type": "v5litepod-8",
    "runtime_version": "v2-alpha-tpuv5-lite",
    "repository": "https://example.org/us/curricula.git",
    "commit": COMMIT,
    "poll_seconds": 0,
    "mirror_seconds": 0.2,
}
QUEUE = ["compute", "tpus", "queued-resources"]
PLACE = ["--project=my-project", "--zone=europe-west4-b"]
REAL = shutil.which("gcloud")  # only its table of flags is read
BUCKET = "gs://my-bucket/runs/first"


@pytest.fixture
def cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = Cloud.make(tmp_path / "cloud")
    monkeypatch.setenv("PATH", made.path)
    yield made
    made.lose()


@pytest.fixture
def run(tmp_path: Path, cloud: Cloud):
    """The command with the settings above and some replaced."""
    file = tmp_path / "slice.yaml"

    def command(line: str, **replaced: object) -> int:
        file.write_text(yaml.safe_dump({**SETTINGS, **replaced}))
        name, *words = shlex.split(line)
        return main([name, "--slice", str(file), *words])

    return command


def last_line(capfd: pytest.CaptureFixture[str]) -> str:
    return capfd.readouterr().err.strip()


# Create


def test_a_slice_is_asked_for_once_and_waited_for(run, cloud, capfd) -> None:
    cloud.set(on_create=["WAITING_FOR_RESOURCES", "WAITING_FOR_RESOURCES", "PROVISIONING", "ACTIVE"])
    assert run("create --hours 10", price_per_chip_hour=1.25) == 0
    kind = ["--accelerator-type=v5litepod-8", "--runtime-version=v2-alpha-tpuv5-lite", "--spot", "--quiet"]
    assert cloud.calls("create") == [[*QUEUE, "create", "curricula", "--node-id=curricula", *PLACE, *kind]]
    lines = capfd.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines[:3]] == ["WAITING_FOR_RESOURCES", "PROVISIONING", "ACTIVE"]
    assert lines[3] == "price: 8 chips x 1.25 = 10.00 an hour, from creation to deletion"
    assert lines[4] == "price of 10 hours: 100.00"


def test_a_slice_that_is_not_spot_is_asked_for_without_the_flag(run, cloud) -> None:
    assert run("create", spot=False) == 0
    assert "--spot" not in cloud.calls("create")[0]


def test_create_goes_on_waiting_for_what_was_asked_for(run, cloud) -> None:
    cloud.set(states=["PROVISIONING", "ACTIVE"])
    assert run("create") == 0
    assert cloud.calls("create") == []


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ([{"state": "FAILED", "failedData": {"error": {"message": "no\nquota"}}}], "FAILED (no quota)"),
        ([{"state": "SUSPENDED", "stateInitiator": "SERVICE"}], "SUSPENDED (preempted by the service)"),
        (["DELETING"], "DELETING"),
    ],
)
def test_create_says_why_a_slice_cannot_be_had(run, cloud, capfd, states, said) -> None:
    cloud.set(on_create=["CREATING", *states])
    assert run("create") == 1
    assert said in last_line(capfd)
    assert run("create") == 1  # it is still there
    assert "delete it first" in last_line(capfd)


def test_the_wait_for_a_slice_is_bounded(run, cloud, capfd) -> None:
    cloud.set(on_create=["WAITING_FOR_RESOURCES"])
    assert run("create", wait_hours=0) == 1
    assert "still WAITING_FOR_RESOURCES after 0 h" in last_line(capfd)


def test_an_error_of_gcloud_is_one_line(run, cloud, capfd) -> None:
    cloud.set(errors={"create": "PERMISSION_DENIED: not allowed"})
    assert run("create") == 1
    error = last_line(capfd)
    assert "PERMISSION_DENIED: not allowed" in error
    assert "\n" not in error


# Settings, prices, and what is shown


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", "a; rm -rf b"),
        ("name", "-x"),
        ("name", "Upper"),
        ("project", "--flag"),
        ("project", None),
        ("zone", "europe-west4"),
        ("accelerator_type", "tpu7x-8"),
        ("accelerator_type", "v4-7"),
        ("runtime_version", "$(x)"),
        ("spot", "maybe"),
        ("price_per_chip_hour", -1),
        ("price_per_chip_hour", float("inf")),
        ("price_per_chip_hour", True),
        ("repository", "https://me:secret@example.org/x"),
        ("repository", "ext::sh -c x"),
        ("commit", "main"),
        ("directory", "../up"),
        ("directory", ".."),
        ("python", "3.11; x"),
        ("matmul_precision", "low"),
        ("run_dir", "/etc"),
        ("run_dir", "runs/../../x"),
        ("run_dir", "gs://My_Bucket"),
        ("run_dir", "gs://my-bucket/.."),
        ("poll_seconds", "soon"),
    ],
)
def test_a_setting_that_is_not_allowed_is_named_before_anything_is_done(
    run, cloud, capfd, key, value
) -> None:
    assert run("create", **{key: value}) == 2
    error = last_line(capfd)
    assert error.startswith(f"python -m tpu_scripts create: {key}: ")
    assert "\n" not in error
    assert cloud.calls() == []


def test_an_unknown_setting_is_answered_with_the_nearest(run, capfd) -> None:
    assert run("create --set zon=europe-west4-b") == 2
    assert "did you mean zone?" in last_line(capfd)


@pytest.mark.parametrize(("number", "name"), [(4, "v4-8"), (4, "v5p-8"), (8, "v6e-8"), (32, "v5litepod-32")])
def test_chips_are_counted_by_what_the_number_of_a_type_means(number: int, name: str) -> None:
    assert chips(name) == number  # v4-8: 8 TensorCores, two to a chip


@pytest.mark.parametrize(
    ("number", "name"),
    [(1, "v4-8"), (2, "v4-16"), (1, "v5litepod-8"), (4, "v5litepod-16"), (1, "v6e-8"), (8, "v6e-32")],
)
def test_machines_have_four_chips_each_and_a_single_one_may_have_eight(number: int, name: str) -> None:
    assert hosts(name) == number  # v4-16: 8 chips; v6e-32: 32 chips


def test_a_price_is_never_made_up(run, capfd) -> None:
    assert run("create --dry-run") == 0
    assert capfd.readouterr().out.splitlines()[-1].startswith("price: unknown (8 chips;")
    assert run("create --dry-run --hours 3") == 2
    assert "price_per_chip_hour: not set" in last_line(capfd)


LINES = {
    "create": "create",
    "setup": "setup",
    "launch": f"launch experiments/smoke.yaml --run-dir {BUCKET} seed=1",
    "watch": "watch",
    "collect": f"collect --run-dir {BUCKET}",
    "delete": "delete",
}


@pytest.mark.parametrize("command", list(SUMMARIES))
def test_a_dry_run_prints_every_command_for_a_shell_and_runs_none(
    run, cloud, capfd, monkeypatch, tmp_path, command
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))  # gcloud need not be there
    assert run(f"{LINES[command]} --dry-run") == 0
    lines = [line for line in capfd.readouterr().out.splitlines() if not line.startswith(("#", "price"))]
    assert lines
    for line in lines:
        assert shlex.split(line)[0] == "gcloud"
        assert shlex.join(shlex.split(line)) == line
    assert cloud.calls() == []


def test_without_gcloud_one_line_says_what_to_install(run, capfd, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert run("delete --yes") == 1
    assert last_line(capfd) == (
        "python -m tpu_scripts delete: gcloud: not found; install the Google Cloud CLI and log in with "
        "`gcloud auth login`, or add --dry-run to see the commands"
    )


def test_every_flag_is_one_that_the_installed_gcloud_knows(run, capfd) -> None:
    table = Path(REAL or "none").resolve().parents[1] / "data/cli/gcloud_completions.py"
    if REAL is None or not table.exists():
        pytest.skip("no gcloud with its table of commands is installed")
    text = table.read_text(encoding="utf-8")
    known = ast.literal_eval(text[text.index("{") :])
    for line in [*LINES.values(), "collect"]:
        assert run(f"{line} --dry-run") == 0
    printed = [shlex.split(line) for line in capfd.readouterr().out.splitlines() if line.startswith("gcloud")]
    assert len({tuple(words[1:5]) for words in printed}) == 8  # 3 of requests, 3 of nodes, 2 of buckets
    for words in printed:
        node, flags = known, {**known["flags"]}
        for word in words[1 : 3 if words[1] == "storage" else 5]:
            node = node["commands"][word]
            flags |= node["flags"]
        for word in words[1:]:
            if word.startswith("--"):
                assert word.partition("=")[0] in flags, f"{word} of {' '.join(words[:5])}"


# Set up and launch


def test_setup_brings_every_worker_to_one_commit_and_its_own_environment(run, cloud) -> None:
    assert run("setup") == 0
    commands = [next(w for w in call if w.startswith("--command=")) for call in cloud.calls("ssh")]
    assert all("--worker=all" in call for call in cloud.calls("ssh"))
    assert [command.removeprefix("--command=") for command in commands] == [
        "git init --quiet closed-loop-curricula",
        "git -C closed-loop-curricula fetch --quiet --depth=1 https://example.org/us/curricula.git " + COMMIT,
        f"git -C closed-loop-curricula checkout --quiet --force --detach {COMMIT}",
        "python3 -m pip install --quiet --user uv",
        "python3 -m uv venv --quiet --allow-existing --python 3.11 closed-loop-curricula/.venv",
        "python3 -m uv pip install --quiet --python closed-loop-curricula/.venv/bin/python "
        "--constraint closed-loop-curricula/constraints.txt "
        "--editable './closed-loop-curricula[tpu,weights]'",
        "env --chdir=closed-loop-curricula .venv/bin/python tpu_scripts/check_devices.py",
    ]


def test_setup_stops_at_the_first_step_that_fails(run, cloud, capfd) -> None:
    cloud.set(
        errors={f"--command=git -C closed-loop-curricula checkout --quiet --force --detach {COMMIT}": "no"}
    )
    assert run("setup") == 1
    assert len(cloud.calls("ssh")) == 3
    assert "exit code 1" in last_line(capfd)


def test_setup_needs_a_repository_and_takes_the_commit_of_this_checkout(run, capfd) -> None:
    assert run("setup", repository=None) == 2
    assert "repository: not set" in last_line(capfd)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run("setup --dry-run", commit=None) == 0
    assert head.stdout.strip() in capfd.readouterr().out


def ready(run, cloud, workers: int = 1) -> None:
    """A slice that is there and set up."""
    cloud.set(workers=workers)
    assert run("create") == 0
    assert run("setup") == 0


def until(condition, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def steps_in(ledger: Path) -> list[int]:
    with closing(sqlite3.connect(ledger)) as connection:
        return [row[0] for row in connection.execute("SELECT step FROM steps ORDER BY step")]


def test_a_launch_is_the_same_on_every_worker_resumes_and_names_no_coordinator(run, cloud) -> None:
    cloud.set(errors={"ssh": "only written down"})
    assert run(f"launch experiments/smoke.yaml --run-dir {BUCKET} seed=1") == 1
    command = next(word for word in cloud.calls("ssh", "--worker=all")[0] if word.startswith("--command="))
    assert (
        shlex.split(command.removeprefix("--command="))
        == (
            "env --chdir=closed-loop-curricula JAX_DEFAULT_MATMUL_PRECISION=highest .venv/bin/python "
            f"-m tpu_scripts.worker start --run-dir runs/first --bucket {BUCKET} --mirror-seconds 0.2 -- "
            "-m loop.run experiments/smoke.yaml seed=1 --run-dir runs/first --resume-if-unfinished"
        ).split()
    )


HOSTS = {"accelerator_type": "v5litepod-16", "shared_dir": "/mnt/curricula"}
"""16 chips in 4 machines that see one folder."""
MESH = "policy.mesh.data=16 policy.packing.rows=16"
"""All of them."""


def test_several_hosts_run_one_run_in_the_folder_that_they_share(run, capfd) -> None:
    assert run(f"launch experiments/smoke.yaml --run-dir runs/first {MESH} --dry-run", **HOSTS) == 0
    words = shlex.split(capfd.readouterr().out.strip())
    command = next(word for word in words if word.startswith("--command=")).removeprefix("--command=")
    assert " ".join(shlex.split(command)) == (
        "env --chdir=closed-loop-curricula JAX_DEFAULT_MATMUL_PRECISION=highest LOOP_PROCESSES=4 "
        ".venv/bin/python -m tpu_scripts.worker start --run-dir runs/first --shared "
        "/mnt/curricula/runs/first -- -m loop.run experiments/smoke.yaml "
        f"{MESH} cache=/mnt/curricula/cache --run-dir /mnt/curricula/runs/first --resume-if-unfinished"
    )
    assert run("collect --run-dir runs/first --dry-run", **HOSTS) == 0
    (take,) = (line for line in capfd.readouterr().out.splitlines() if " snapshot " in line)
    assert "snapshot --run-dir runs/first --shared /mnt/curricula/runs/first" in take
    assert "--worker=0" in shlex.split(take)  # one copy of what they share


@pytest.mark.parametrize(
    ("line", "changed", "said"),
    [
        ("--run-dir runs/first", {"shared_dir": None}, "shared_dir: not set, and v5litepod-16 has 4 hosts"),
        (f"--run-dir {BUCKET}", {}, "4 hosts keep the run in shared_dir, which outlives the slice"),
        ("--run-dir runs/first", {"shared_dir": "/mnt/../x"}, "shared_dir: '/mnt/../x' is not allowed"),
    ],
)
def test_several_hosts_without_a_folder_in_common_are_refused(run, cloud, capfd, line, changed, said) -> None:
    assert run(f"launch experiments/smoke.yaml {line} {MESH}", **{**HOSTS, **changed}) == 2
    error = last_line(capfd)
    assert said in error and "\n" not in error
    assert cloud.calls() == []


def test_chips_that_a_run_would_leave_idle_are_told_before_they_are_paid_for(run, cloud, capfd) -> None:
    eight = "policy.mesh.data=4 policy.mesh.tensor=2 policy.packing.rows=4"
    assert run("launch experiments/smoke.yaml --dry-run") == 0
    assert "policy.mesh uses 1 of the 8 chips of v5litepod-8" in capfd.readouterr().out
    assert run(f"launch experiments/smoke.yaml {eight} --dry-run") == 0
    assert "chips" not in capfd.readouterr().out
    apart = "policy.mesh.data=2 policy.packing.rows=2 asynchronous.rollout_devices=6"
    assert run(f"launch experiments/smoke.yaml {apart} --dry-run") == 0  # two learn and six play
    assert "chips" not in capfd.readouterr().out
    assert run("launch experiments/smoke.yaml asynchronous.rollout_devices=6 --dry-run") == 0
    assert "uses 1 of the 2 chips of v5litepod-8 beside 6 that only play" in capfd.readouterr().out
    assert run("launch experiments/smoke.yaml stpes=1 --dry-run") == 0  # the workers' commit may know the key
    told = capfd.readouterr().out
    assert "whether all chips are used is not known" in told and "unknown key 'stpes'" in told
    for line, replaced, said in (
        (f"{MESH} --dry-run", {}, "policy.mesh uses 16 of the 8 chips of v5litepod-8"),
        (eight, HOSTS, "policy.mesh uses 8 of the 16 chips of v5litepod-16"),
        ("asynchronous.rollout_devices=8", {}, "rollout_devices=8 leaves none of the chips of v5litepod-8"),
    ):
        assert run(f"launch experiments/smoke.yaml {line}", **replaced) == 2
        assert said in last_line(capfd)
    assert cloud.calls() == []


@pytest.mark.parametrize(("code", "state"), [(75, "lost"), (0, "finished"), (1, "failed")])
def test_a_process_that_ends_because_another_one_did_is_lost_and_has_not_failed(
    tmp_path, code, state
) -> None:
    files = Files(tmp_path / "run")
    assert supervise(files, None, 1.0, ["-c", f"raise SystemExit({code})"]) == code
    assert json.loads(status(files, 0))["state"] == state


def test_a_run_that_lost_a_worker_goes_on_as_often_as_allowed(capfd, tmp_path) -> None:
    settings = checked({**SETTINGS, **HOSTS}, "a test")
    watch = Watch(Runner(dry_run=True), settings, program("experiments/smoke.yaml", []), 1, 5)
    found = [{"worker": 0, "state": "died", "code": None}, {"worker": 1, "state": "lost", "code": 75}]
    assert watch._judge(found) is False
    out = capfd.readouterr().out
    assert "the run died and lost; restart 1 of 1" in out and "--again --shared /mnt/curricula/runs/" in out
    with pytest.raises(SliceError, match="after all restarts that were allowed"):
        watch._judge(found)


def test_a_launched_run_is_watched_to_its_end_and_collected_from_every_worker(
    run, cloud, capfd, tmp_path
) -> None:
    ready(run, cloud, workers=2)
    hostile = "note=$(touch broken) '; touch broken; \" `touch broken` \\"
    assert run(f"launch experiments/smoke.yaml steps=3 {shlex.quote(hostile)}") == 0
    assert run("watch", poll_seconds=0.1) == 0
    out = capfd.readouterr().out
    assert re.search(r"worker 0  finished", out)
    assert re.search(r"worker 1  finished", out)
    assert f"going on at step 0 with {hostile.removeprefix('note=')}" in out
    assert not list(cloud.folder.rglob("broken"))
    for _ in range(2):  # the second copy takes the place of the first
        assert run(f"collect --out {tmp_path / 'here'}") == 0
    for worker in (0, 1):
        assert steps_in(tmp_path / "here" / f"worker-{worker}" / "ledger.sqlite") == [0, 1, 2]
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == ["worker-0", "worker-1"]


def test_a_second_launch_is_refused_while_a_run_goes_on_and_when_it_is_finished(run, cloud, capfd) -> None:
    ready(run, cloud)
    assert run("launch experiments/smoke.yaml steps=3 hold=1") == 0
    assert run("launch experiments/smoke.yaml steps=3") == 1
    assert "a run is going on in it" in capfd.readouterr().err
    assert run("watch --once") == 0
    assert "worker 0  running" in capfd.readouterr().out
    assert run("launch experiments/smoke.yaml steps=1 --run-dir runs/short") == 0
    assert run("watch --run-dir runs/short", poll_seconds=0.1) == 0
    assert run("launch experiments/smoke.yaml steps=1 --run-dir runs/short") == 1
    assert "holds a finished run" in capfd.readouterr().err


@pytest.mark.parametrize("word", ["/abs.yaml", "../up.yaml", "--resume", "notkey"])
def test_a_launch_takes_only_paths_of_the_repository_and_overrides(run, cloud, word) -> None:
    line = f"launch experiments/smoke.yaml {word}" if word in ("notkey", "--resume") else f"launch {word}"
    try:
        code = run(line)
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert cloud.calls() == []


# Watch


def test_a_run_that_failed_ends_the_watch_with_its_last_lines(run, cloud, capfd) -> None:
    ready(run, cloud)
    assert run("launch experiments/smoke.yaml fail=now") == 0
    assert run("watch", poll_seconds=0.1) == 1
    output = capfd.readouterr()
    assert "    boom now" in output.out
    assert "worker 0 ended with exit code 1" in output.err


def test_a_preempted_run_goes_on_elsewhere_from_its_snapshot(run, cloud, capfd, tmp_path) -> None:
    ready(run, cloud, workers=2)
    program = f"experiments/smoke.yaml --run-dir {BUCKET} steps=6 hold=4"
    assert run(f"launch {program}") == 0
    logs = [cloud.clone(worker) / "runs/first.log" for worker in (0, 1)]
    until(lambda: all("holding" in log.read_text() for log in logs))
    now = time.time()  # a snapshot that is begun after this one holds steps 0 to 3
    until(lambda: all(_taken_after(cloud, worker, now) for worker in (0, 1)))
    cloud.set(states=[{"state": "SUSPENDED", "stateInitiator": "SERVICE"}])
    cloud.set(on_create=["WAITING_FOR_RESOURCES", "ACTIVE"])
    assert run(f"watch {program} --restart-preempted 1", poll_seconds=0.1) == 0
    out = capfd.readouterr().out
    assert "SUSPENDED (preempted by the service); restart 1 of 1" in out
    assert out.count(f"from {BUCKET}/worker-") == 2
    assert "going on at step 4" in out
    assert run("delete --yes") == 0  # the slice is gone, the run is not
    assert run(f"collect --run-dir {BUCKET} --out {tmp_path / 'here'}") == 0
    for worker in (0, 1):
        place = tmp_path / "here" / f"worker-{worker}"
        assert steps_in(place / "ledger.sqlite") == [0, 1, 2, 3, 4, 5]
        assert (place / "finished").exists()


def _taken_after(cloud: Cloud, worker: int, moment: float) -> bool:
    """Whether two snapshots were put into the bucket after a moment, so that one was begun after it."""
    file = cloud.bucket(f"{BUCKET}/worker-{worker}.tar")
    marks = cloud.folder / f"seen-{worker}"
    seen = set(marks.read_text().split()) if marks.exists() else set()
    if file.exists() and file.stat().st_mtime > moment:
        seen.add(str(file.stat().st_mtime_ns))
        marks.write_text(" ".join(seen))
    return len(seen) > 1


def preempted(cloud: Cloud) -> None:
    """Every slice is taken away at the first look after it was there."""
    cloud.set(states=["SUSPENDED"], on_create=["ACTIVE", "SUSPENDED"])


def test_restarts_are_bounded(run, cloud, capfd) -> None:
    preempted(cloud)
    assert run(f"watch experiments/smoke.yaml --run-dir {BUCKET} --restart-preempted 1 steps=1 hold=0") == 1
    output = capfd.readouterr()
    assert "restart 1 of 1" in output.out
    assert "after all restarts that were allowed" in output.err
    assert len(cloud.calls("create")) == len(cloud.calls("delete")) == 1


def test_nothing_is_restarted_unasked(run, cloud, capfd) -> None:
    preempted(cloud)
    assert run("watch") == 1
    assert "SUSPENDED (preempted by the service), and no restart was asked for" in last_line(capfd)
    assert cloud.calls("create") == cloud.calls("delete") == []


def test_a_slice_that_its_user_suspended_is_not_replaced(run, cloud, capfd) -> None:
    cloud.set(states=[{"state": "SUSPENDED", "stateInitiator": "USER"}])
    assert run(f"watch experiments/smoke.yaml --run-dir {BUCKET} --restart-preempted 2") == 1
    assert "SUSPENDED (by the user)" in last_line(capfd)
    assert cloud.calls("delete") == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"watch --run-dir {BUCKET} --restart-preempted 1", "give the CONFIG"),
        ("watch experiments/smoke.yaml --restart-preempted 1", "--run-dir gs://BUCKET/PATH"),
    ],
)
def test_a_restart_needs_the_program_and_a_bucket(run, capfd, line, said) -> None:
    assert run(line) == 2
    assert said in last_line(capfd)


def test_every_restart_gets_the_commit_that_the_workers_were_set_up_with(run, cloud, capfd) -> None:
    ready(run, cloud)  # at COMMIT, which is not that of this checkout
    assert run(f"launch experiments/smoke.yaml --run-dir {BUCKET} steps=1") == 0
    settings = checked({**SETTINGS, "commit": None, "poll_seconds": 0.1, "run_dir": BUCKET}, "a test")
    watch = Watch(Runner(), settings, program("experiments/smoke.yaml", ["steps=1"]), 1, 5)
    watch.until_end()
    watch._replace(Request("SUSPENDED", "preempted", False))
    fetched = [call for call in cloud.calls("ssh") if any(" fetch " in word for word in call)]
    assert len(fetched) == 2 and all(COMMIT in " ".join(call) for call in fetched)


def test_a_slice_that_is_gone_before_its_commit_was_read_is_not_replaced(run, cloud, capfd) -> None:
    preempted(cloud)
    line = f"watch experiments/smoke.yaml --run-dir {BUCKET} --restart-preempted 1"
    assert run(line, commit=None) == 2
    assert "give --set commit=40-DIGITS" in last_line(capfd)
    assert cloud.calls("delete") == []


def test_a_node_that_was_preempted_while_its_request_is_active_is_replaced(run, cloud, capfd) -> None:
    cloud.set(states=["ACTIVE"], errors={"ssh": "connection refused"}, node="PREEMPTED")
    assert run("watch") == 1
    assert "PREEMPTED (the node, not the request), and no restart was asked for" in last_line(capfd)


def test_workers_that_do_not_answer_are_asked_three_times(run, cloud, capfd) -> None:
    cloud.set(states=["ACTIVE"], errors={"ssh": "connection refused"})
    assert run("watch") == 1
    assert "connection refused" in last_line(capfd)
    assert len(cloud.calls("ssh")) == 3


def test_a_run_whose_machine_was_restarted_under_it_goes_on_there(run, cloud, capfd) -> None:
    ready(run, cloud)
    program = f"experiments/smoke.yaml --run-dir {BUCKET} steps=5 hold=2"
    assert run(f"launch {program}") == 0
    until(lambda: "holding" in (cloud.clone() / "runs/first.log").read_text())
    kept = cloud.folder / "kept"
    shutil.copytree(cloud.home(), kept, symlinks=True)
    cloud.lose()  # kills the processes
    kept.rename(cloud.home())
    assert run(f"watch {program} --restart-preempted 1", poll_seconds=0.1) == 0
    out = capfd.readouterr().out
    assert "the run died; restart 1 of 1" in out
    assert "going on at step 2" in out
    assert len(cloud.calls("create")) == 1


def test_there_must_be_something_to_watch(run, cloud, capfd) -> None:
    assert run("watch") == 1
    assert "no such slice; create it" in last_line(capfd)
    ready(run, cloud)
    assert run("watch") == 1
    assert "nothing was launched in runs/curricula" in last_line(capfd)


# Collect and delete


def test_nothing_is_begun_anew_when_the_bucket_does_not_answer(run, cloud, capfd) -> None:
    ready(run, cloud)
    cloud.set(errors={"cp": "503 try again"})
    assert run(f"launch experiments/smoke.yaml --run-dir {BUCKET} steps=1") == 1
    assert "503 try again" in capfd.readouterr().err
    assert not (cloud.clone() / "runs/first").exists()


def test_no_copy_of_a_run_is_given_up_for_taking_long(run, cloud, monkeypatch, tmp_path) -> None:
    asked: list[tuple[str, float | None]] = []
    real = subprocess.run

    def noted(command, **given):
        if "timeout" in given:
            asked.append((" ".join(command), given["timeout"]))
        return real(command, **given)

    ready(run, cloud)
    assert run("launch experiments/smoke.yaml steps=1") == 0
    assert run("watch", poll_seconds=0.1) == 0
    monkeypatch.setattr("tpu_scripts.runner.subprocess.run", noted)
    assert run(f"collect --out {tmp_path / 'here'}") == 0
    assert mirror(Files(tmp_path / "here/worker-0"), BUCKET) is not None
    assert run(f"collect --run-dir {BUCKET} --out {tmp_path / 'there'}") == 0
    restore(Files(tmp_path / "again"), BUCKET)
    slow = ("tpu-vm scp", "storage cp", "tpu_scripts.worker snapshot")
    copies = {(part, limit) for text, limit in asked for part in slow if part in text}
    assert copies == {(part, None) for part in slow}
    others = {limit for text, limit in asked if not any(part in text for part in slow)}
    assert others == {ANSWER_SECONDS}  # a question is


def test_collect_says_that_there_is_nothing_and_overwrites_no_other_files(
    run, cloud, capfd, tmp_path
) -> None:
    assert run(f"collect --run-dir {BUCKET}") == 1
    assert "holds no snapshot" in last_line(capfd)
    assert run("collect") == 1
    assert "tpu-vm ssh" in last_line(capfd)
    mine = tmp_path / "here" / "worker-0"
    mine.mkdir(parents=True)
    (mine / "thesis.txt").write_text("dear")
    ready(run, cloud)
    assert run("launch experiments/smoke.yaml steps=1") == 0
    assert run("watch", poll_seconds=0.1) == 0
    assert run(f"collect --out {tmp_path / 'here'}") == 1
    assert "holds files, but no run" in last_line(capfd)
    assert [path.name for path in mine.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("state", ["ACTIVE", "FAILED", "SUSPENDED", "WAITING_FOR_RESOURCES"])
def test_delete_removes_a_slice_in_any_state(run, cloud, state) -> None:
    cloud.set(states=[state])
    assert run("delete --yes") == 0
    assert cloud.calls("delete") == [[*QUEUE, "delete", "curricula", *PLACE, "--force", "--quiet"]]


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("yes\n", 0), ("n\n", 2), ("\n", 2), ("", 2)])
def test_delete_asks_back(run, cloud, capfd, monkeypatch, tmp_path, answer, code) -> None:
    cloud.set(states=["ACTIVE"])
    (tmp_path / "answer").write_text(answer)
    with (tmp_path / "answer").open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert run("delete") == code
    assert "delete curricula (8 chips, ACTIVE), with the run directories on it?" in capfd.readouterr().out
    assert len(cloud.calls("delete")) == (code == 0)


def test_delete_of_what_is_not_there_is_no_error(run, cloud, capfd) -> None:
    assert run("delete --yes") == 0
    assert "nothing to delete" in capfd.readouterr().out


# The files


def test_the_commands_of_the_page_are_commands(run, capfd) -> None:
    page = (ROOT / "tpu_scripts/README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^python -m tpu_scripts (.*?)(?:  +#.*)?$", page, re.MULTILINE)
    assert {line.split()[0] for line in lines} == set(SUMMARIES)
    for line in lines:
        assert run(f"{line} --dry-run", price_per_chip_hour=1) == 0, line


def test_the_settings_file_explains_every_setting() -> None:
    text = (ROOT / "tpu_scripts/slice.yaml").read_text(encoding="utf-8")
    from tpu_scripts.settings import Settings

    assert set(yaml.safe_load(text)) == set(Settings.__dataclass_fields__)
    assert yaml.safe_load(text)["price_per_chip_hour"] is None
    for line in text.splitlines():
        assert not line or line.startswith("#") or "  # " in line, line


def test_what_a_worker_needs_to_begin_is_in_the_standard_library() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); "
         "from tpu_scripts.worker import main; main(['status', '--run-dir', 'runs/none'])"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == {
        "worker": 0, "state": "absent", "code": None, "mirrored": None, "tail": [],
    }  # fmt: skip


@pytest.mark.parametrize("command", ["", *SUMMARIES])
def test_help_is_light(command: str) -> None:
    words = [command, "--help"] if command else ["--help"]
    code = (
        "import sys, runpy, atexit\n"
        "heavy = {'jax', 'numpy', 'yaml', 'planet', 'policy', 'loop', 'analysis'}\n"
        "atexit.register(lambda: print('HEAVY', *sorted(heavy & set(sys.modules))))\n"
        f"sys.argv = ['x', *{words!r}]; runpy.run_module('tpu_scripts', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert "usage: python -m tpu_scripts" in done.stdout
    assert done.stdout.strip().endswith("HEAVY")


def test_a_wrong_command_is_one_line(capfd) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["destroy"])
    assert ended.value.code == 2
    assert capfd.readouterr().err.count("\n") == 1
