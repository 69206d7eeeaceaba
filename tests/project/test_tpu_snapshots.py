"""A snapshot of a run that goes on is one that the run can be resumed from."""

import errno
import json
import os
import shutil
import sqlite3
import tarfile
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tpu_scripts import snapshot
from tpu_scripts.errors import SliceError, UseError
from tpu_scripts.places import RunPlace, run_place
from tpu_scripts.worker import Files, index, main, status

KEEP = 2  # checkpoints that the run below keeps


def begun(run: Path) -> Path:
    """A run directory before its first step."""
    (run / "checkpoints").mkdir(parents=True)
    (run / "config.json").write_text("{}")
    (run / "lock").write_text("123")
    (run / "metrics.jsonl").write_text("")
    with closing(sqlite3.connect(run / "ledger.sqlite")) as ledger:
        ledger.execute("CREATE TABLE steps (step INTEGER PRIMARY KEY)")
    return run


def step(run: Path, number: int) -> None:
    """One step in the order of a run: checkpoint, ledger, metric line; then old checkpoints are dropped."""
    made = run / "checkpoints" / f"{number}.tmp"
    made.mkdir()
    for part in ("arrays", "metadata"):
        (made / part).write_text(str(number))
    made.rename(run / "checkpoints" / str(number))
    with closing(sqlite3.connect(run / "ledger.sqlite", timeout=60)) as ledger, ledger:
        ledger.execute("INSERT INTO steps VALUES (?)", (number,))
    with (run / "metrics.jsonl").open("a") as metrics:
        metrics.write(json.dumps({"step": number}) + "\n")
    shutil.rmtree(run / "checkpoints" / str(number - KEEP), ignore_errors=True)


def last_of(run: Path) -> tuple[int, int, list[int]]:
    """Newest step of the ledger and of the metric lines, and the checkpoints; those to go on from are whole.

    An older one may have lost a file already: it was being dropped when the snapshot came by.
    """
    with closing(sqlite3.connect(run / "ledger.sqlite")) as ledger:
        assert ledger.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        newest = ledger.execute("SELECT COALESCE(MAX(step), -1) FROM steps").fetchone()[0]
    lines = (run / "metrics.jsonl").read_text().splitlines()
    found = sorted(int(path.name) for path in (run / "checkpoints").iterdir() if path.name.isdecimal())
    resumed = max((number for number in found if number <= newest), default=0)
    for number in found:
        for part in ("arrays", "metadata") if number >= resumed else ():
            assert (run / "checkpoints" / str(number) / part).read_text() == str(number)
    return newest, json.loads(lines[-1])["step"] if lines else -1, found


def test_a_snapshot_of_a_run_that_goes_on_can_be_resumed(tmp_path: Path) -> None:
    run = begun(tmp_path / "run")
    step(run, 0)
    ended = threading.Event()

    def go_on() -> None:
        number = 1
        while not ended.is_set():
            step(run, number)
            number += 1

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        for number in range(12):
            snapshot.write(run, tmp_path / "run.tar")
            snapshot.unpack(tmp_path / "run.tar", tmp_path / f"copy-{number}")
    finally:
        ended.set()
        thread.join()
    found = [last_of(tmp_path / f"copy-{number}") for number in range(12)]
    for ledger, metrics, checkpoints in found:
        assert metrics <= ledger  # what was delivered is recorded
        assert any(checkpoint <= ledger for checkpoint in checkpoints)  # there is a step to go on from
        assert max(checkpoints) >= ledger
    assert found[-1][0] > found[0][0]  # it did go on meanwhile


def test_a_snapshot_leaves_out_the_lock_and_leaves_nothing_behind(tmp_path: Path) -> None:
    run = begun(tmp_path / "run")
    step(run, 0)
    snapshot.write(run, tmp_path / "run.tar")
    snapshot.unpack(tmp_path / "run.tar", tmp_path / "copy")
    names = sorted(path.name for path in (tmp_path / "copy").iterdir())
    assert names == ["checkpoints", "config.json", "ledger.sqlite", "metrics.jsonl"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "run", "run.tar"]


def test_a_later_checkpoint_does_not_change_a_snapshot(tmp_path: Path) -> None:
    run = begun(tmp_path / "run")
    step(run, 0)
    snapshot.write(run, tmp_path / "run.tar")
    step(run, 1)
    snapshot.unpack(tmp_path / "run.tar", tmp_path / "copy")
    assert last_of(tmp_path / "copy") == (0, 0, [0])


def test_a_run_on_another_file_system_is_copied_where_it_cannot_be_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(source: str, target: str) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link", source)

    run = begun(tmp_path / "run")
    step(run, 0)
    monkeypatch.setattr(os, "link", refused)
    snapshot.write(run, tmp_path / "run.tar")
    snapshot.unpack(tmp_path / "run.tar", tmp_path / "copy")
    assert last_of(tmp_path / "copy") == (0, 0, [0])


def test_a_snapshot_that_the_disk_refuses_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TPU_WORKER_ID", "3")
    begun(tmp_path / "run")
    (tmp_path / "run.tar").mkdir()  # a folder where the file goes
    assert main(["snapshot", "--run-dir", str(tmp_path / "run")]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("worker 3: ") and "Is a directory" in said.err
    assert said.err.count("\n") == 1 and not said.out


def test_what_is_no_run_and_what_is_no_snapshot_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SliceError, match="holds no run yet"):
        snapshot.write(tmp_path / "empty", tmp_path / "run.tar")
    assert not (tmp_path / "run.tar").exists()
    (tmp_path / "bad.tar").write_text("no tar")
    with pytest.raises(SliceError, match="no snapshot of a run"):
        snapshot.unpack(tmp_path / "bad.tar", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_snapshot_cannot_write_outside_its_place(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    with tarfile.open(tmp_path / "bad.tar", "w") as tar:
        tar.add(tmp_path / "x", arcname="../outside")
    with pytest.raises(SliceError, match="no snapshot of a run"):
        snapshot.unpack(tmp_path / "bad.tar", tmp_path / "deep" / "copy")
    assert not (tmp_path / "deep" / "outside").exists()


def test_a_run_is_kept_where_its_place_says() -> None:
    assert run_place("runs/first") == RunPlace("runs/first", None)
    assert run_place("gs://my-bucket/all/first") == RunPlace("runs/first", "gs://my-bucket/all/first")
    for bad in ("", "/abs", "a/../b", "-x", "gs://b", "gs://my-bucket", "gs://my-bucket/-x", "s3://bucket/x"):
        with pytest.raises(UseError, match="run_dir"):
            run_place(bad)


@pytest.mark.parametrize(
    ("given", "host", "number"),
    [
        ("3", "laptop", 3),
        ("", "t1v-n-0a1b2c3d-w-12", 12),
        ("", "t1v-n-0a1b2c3d-w-2.local", 2),
        ("", "laptop", 0),
    ],
)
def test_a_worker_knows_its_number(
    monkeypatch: pytest.MonkeyPatch, given: str, host: str, number: int
) -> None:
    monkeypatch.setenv("TPU_WORKER_ID", given)
    monkeypatch.setattr("socket.gethostname", lambda: host)
    assert index() == number


def test_a_supervisor_that_vanished_is_told(tmp_path: Path) -> None:
    files = Files(tmp_path / "runs" / "first")
    files.run.parent.mkdir()
    assert json.loads(status(files, 2))["state"] == "absent"
    files.write_status(state="running", mirrored=None)
    files.log.write_text("one\rtwo\n\nthree\n" + "x" * 1000 + "\n")
    with files.held() as lock:
        assert lock is not None
        assert json.loads(status(files, 2))["state"] == "running"
    told = json.loads(status(files, 2))
    assert (told["state"], told["tail"]) == ("died", ["three", "x" * 240])
    files.write_status(state="failed", code=1)
    assert json.loads(status(files, 0)) | {"worker": 0} == {
        "worker": 0, "state": "failed", "code": 1, "mirrored": None, "tail": [],
    }  # fmt: skip
