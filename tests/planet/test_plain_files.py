"""Whatever a user names as a file to read: a pipe, an endless device or a huge file ends in one line."""

import os

import pytest

from loop.errors import ConfigError, SweepError
from loop.loading import read_tree
from loop.proposing.reading import read_report
from loop.sweep.plan import read_plan
from planet import plain_files
from planet.author_eval.briefs import read_briefs
from planet.catalog import load_catalog
from planet.catalog.reading import read_yaml
from planet.errors import BriefError, CatalogError, StorageError
from planet.plain_files import read_bounded
from planet.replay import read_trajectory

READERS = {
    "a catalog": (lambda path: read_yaml(path, path.name), CatalogError),
    "briefs": (lambda path: read_briefs(path, load_catalog(), "compact"), BriefError),
    "a trajectory": (read_trajectory, StorageError),
    "a report": (read_report, ConfigError),
    "a configuration": (read_tree, ConfigError),
    "a plan": (read_plan, SweepError),
}


@pytest.mark.parametrize("what", READERS)
def test_a_pipe_an_endless_device_and_a_large_file_are_refused_in_one_line(what, tmp_path, monkeypatch):
    read, error = READERS[what]
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    (tmp_path / "large").write_bytes(b"#" * 101)
    monkeypatch.setattr(plain_files, "LARGEST_FILE", 100)
    for name, said in (
        ("pipe", "is no plain file"),
        ("zeros", "is no plain file"),
        ("large", "has 101 bytes; at most 100 are read"),
    ):
        with pytest.raises(error, match=f"{name} {said}") as caught:
            read(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_a_file_whose_size_the_system_does_not_state_is_bounded_too(monkeypatch):
    path = plain_files.Path("/proc/self/status")
    assert path.stat().st_size == 0 and read_bounded(path).startswith(b"Name:")
    monkeypatch.setattr(plain_files, "LARGEST_FILE", 100)
    with pytest.raises(ValueError, match="status has more than 100 bytes, which are read at most"):
        read_bounded(path)


def test_a_folder_is_told_from_a_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="Is a directory"):
        read_bounded(tmp_path)
