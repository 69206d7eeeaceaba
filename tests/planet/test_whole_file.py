"""A file is replaced whole, and only a file is."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from planet.whole_file import check_place, write_whole


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_link_to_a_plain_file_is_replaced_and_the_file_it_led_to_stays(tmp_path):
    (tmp_path / "old").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "old")
    write_whole(tmp_path / "link", "new")
    assert not (tmp_path / "link").is_symlink()
    assert ((tmp_path / "link").read_text(), (tmp_path / "old").read_text()) == ("new", "old")


def test_a_link_that_leads_nowhere_is_replaced(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    write_whole(tmp_path / "link", b"new")
    assert names(tmp_path) == ["link"] and (tmp_path / "link").read_text() == "new"


def test_a_pipe_and_a_link_to_a_device_stay_what_they_are(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    for name in ("pipe", "link"):
        for refuse in (check_place, lambda path: write_whole(path, "x")):
            with pytest.raises(OSError, match=f"{name}: is a device, a pipe or a socket; give the name of a"):
                refuse(tmp_path / name)
    assert (tmp_path / "pipe").is_fifo() and (tmp_path / "link").readlink().name == "null"
    assert names(tmp_path) == ["link", "pipe"]


def test_a_folder_and_a_link_to_one_are_refused_with_a_remedy(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    for name in ("folder", "link"):
        with pytest.raises(OSError, match=f"{name}: is a folder; give the name of a file in it"):
            write_whole(tmp_path / name, "x")
    assert names(tmp_path) == ["folder", "link"] and names(tmp_path / "folder") == []


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    (tmp_path / "file").write_text("")
    for path, number in ((tmp_path / "no" / "x", errno.ENOENT), (tmp_path / "file" / "x", errno.ENOTDIR)):
        for refuse in (check_place, lambda path: write_whole(path, "x")):
            with pytest.raises(OSError) as caught:
                refuse(path)
            assert (caught.value.errno, caught.value.filename) == (number, str(path))


def test_threads_that_write_one_file_at_once_all_succeed_and_one_of_them_is_kept_whole(tmp_path, monkeypatch):
    both = Barrier(2)
    monkeypatch.setattr("planet.whole_file.os.fsync", lambda file: both.wait(timeout=20))  # both have a part
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(write_whole, tmp_path / "file", text) for text in ("a" * 9, "b" * 9)]
    assert [future.exception() for future in done] == [None, None]
    assert (tmp_path / "file").read_text() in ("a" * 9, "b" * 9)
    assert names(tmp_path) == ["file"]


def test_a_full_disk_leaves_the_old_file_and_no_part(tmp_path, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "x").write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_whole(tmp_path / "x", "new")
    assert caught.value.filename == str(tmp_path / "x")
    assert names(tmp_path) == ["x"] and (tmp_path / "x").read_text() == "old"
