"""One directory, one run, one process; files whole or absent; a full disk is one line."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from loop.config import Config
from loop.errors import DiskError, RunDirectoryError
from loop.files import disk_guard, write_atomically, write_json
from loop.run_directory import create, reopen, resume_or_start, stored_config

CONFIG = Config(name="toy")


def test_an_existing_run_directory_is_refused_with_the_remedy(tmp_path: Path) -> None:
    create(tmp_path / "run", CONFIG).unlock()
    with pytest.raises(RunDirectoryError) as caught:
        create(tmp_path / "run", CONFIG)
    assert str(caught.value) == (
        f"{tmp_path}/run: already exists and holds files; "
        "add --resume to continue it, or give another --run-dir"
    )
    assert caught.value.exit_code == 2


def test_a_folder_of_other_files_is_never_taken(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(RunDirectoryError, match="it is not a run directory; give another --run-dir"):
        create(tmp_path, CONFIG)
    with pytest.raises(RunDirectoryError, match="it is not a run directory"):
        resume_or_start(tmp_path, CONFIG)


def test_a_start_killed_before_its_first_record_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("123")
    (tmp_path / ".config.json.123.part").write_text("{")
    create(tmp_path, CONFIG).unlock()


def test_a_second_user_of_a_run_directory_is_refused_by_name(tmp_path: Path) -> None:
    first = create(tmp_path / "run", CONFIG)
    with pytest.raises(RunDirectoryError, match=f"in use by process {os.getpid()}; wait for it"):
        reopen(tmp_path / "run", CONFIG)
    first.unlock()
    reopen(tmp_path / "run", CONFIG).unlock()


def test_resuming_nothing_or_another_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match="holds no run to resume; leave out --resume"):
        reopen(tmp_path / "none", CONFIG)
    create(tmp_path / "run", CONFIG).unlock()
    with pytest.raises(RunDirectoryError, match=f"holds run {CONFIG.run_id}, not"):
        reopen(tmp_path / "run", Config(name="toy", iterations=5))


def test_a_run_of_another_plan_is_not_gone_on_with(tmp_path: Path) -> None:
    create(tmp_path / "run", CONFIG.model_copy(update={"plan": "aaaa"})).unlock()
    for plan, told in (("bbbb", "under plan aaaa, not under plan bbbb"), (None, "aaaa, not without a plan")):
        with pytest.raises(RunDirectoryError, match=told):
            reopen(tmp_path / "run", CONFIG.model_copy(update={"plan": plan}))
    assert stored_config(tmp_path / "run").plan == "aaaa"


def test_a_configuration_of_another_version_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"nme": 1}')
    for read in (lambda: stored_config(tmp_path), lambda: reopen(tmp_path, CONFIG)):
        with pytest.raises(RunDirectoryError, match="not a configuration that this version reads") as caught:
            read()
        assert "\n" not in str(caught.value)


def test_an_unfinished_run_is_resumed_and_a_finished_one_gets_a_neighbour(tmp_path: Path) -> None:
    directory, resumed = resume_or_start(tmp_path / "run", CONFIG)
    assert not resumed
    directory.unlock()
    directory, resumed = resume_or_start(tmp_path / "run", CONFIG)
    assert resumed and directory.path == tmp_path / "run"
    directory.mark_finished()
    directory.unlock()
    directory, resumed = resume_or_start(tmp_path / "run", CONFIG)
    assert not resumed and directory.path == tmp_path / "run-2"
    directory.unlock()


def test_a_write_that_fails_leaves_the_old_file_and_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_json(tmp_path / "a.json", {"old": 1})

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskError, match="the disk is full; free some space") as caught, disk_guard(tmp_path):
        write_atomically(tmp_path / "a.json", "new")
    assert "\n" not in str(caught.value) and caught.value.exit_code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    assert (tmp_path / "a.json").read_text() == '{\n "old": 1\n}\n'


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EDQUOT, "quota"),
        RuntimeError("(sqlite3.OperationalError) database or disk is full"),
        ValueError("RESOURCE_EXHAUSTED: write failed: No space left on device"),
    ],
)
def test_a_full_disk_is_recognised_whoever_reports_it(tmp_path: Path, error: Exception) -> None:
    def work() -> Any:
        raise RuntimeError("the checkpoint could not be written") from error

    with pytest.raises(DiskError), disk_guard(tmp_path):
        work()


def test_other_errors_pass_the_disk_guard_unchanged(tmp_path: Path) -> None:
    with pytest.raises(KeyError), disk_guard(tmp_path):
        raise KeyError("x")


def test_where_records_go_may_change_when_a_run_is_resumed(tmp_path: Path) -> None:
    create(tmp_path / "run", Config()).unlock()
    elsewhere = Config.model_validate({"tracking": {"mlflow": "http://localhost:5000"}})
    directory = reopen(tmp_path / "run", elsewhere)
    assert stored_config(tmp_path / "run") == Config()  # as long as the run may still be refused
    directory.record(elsewhere)
    directory.unlock()
    assert stored_config(tmp_path / "run").tracking.mlflow == "http://localhost:5000"
