"""The manifest grows by a line per world; what a killed command left counts, half a line does not."""

import json
from typing import Any

import pytest

from planet.errors import StorageError
from planet.manifest import enter, entries, journal

ONE, TWO = "0" * 16, "1" * 16


def entry(rows: int) -> dict[str, Any]:
    return {"tables": 1, "rows": rows, "tools": 6, "checks": 0, "tasks": 0, "note": {}}


def test_worlds_entered_in_a_journal_are_there_at_once_and_in_the_manifest_at_the_end(tmp_path):
    with journal(tmp_path / "w") as book:
        book.enter(ONE, entry(1))
        assert entries(tmp_path / "w") == {ONE: entry(1)}
        assert not (tmp_path / "w" / "manifest.json").exists()
        book.enter(TWO, entry(2))
    assert entries(tmp_path / "w") == {ONE: entry(1), TWO: entry(2)}
    assert [path.name for path in (tmp_path / "w").iterdir()] == ["manifest.json"]


def test_a_journal_gives_the_manifest_that_entering_one_by_one_gives(tmp_path):
    with journal(tmp_path / "a") as book:
        book.enter(TWO, entry(2))
        book.enter(ONE, entry(1))
    (tmp_path / "b").mkdir()
    enter(tmp_path / "b", {ONE: entry(1)})
    enter(tmp_path / "b", {TWO: entry(2)})
    assert (tmp_path / "a" / "manifest.json").read_bytes() == (tmp_path / "b" / "manifest.json").read_bytes()


def test_what_was_entered_before_an_exception_is_kept(tmp_path):
    with pytest.raises(KeyboardInterrupt), journal(tmp_path) as book:
        book.enter(ONE, entry(1))
        raise KeyboardInterrupt
    assert json.loads((tmp_path / "manifest.json").read_text())["worlds"] == {ONE: entry(1)}


def test_the_journal_of_a_killed_command_is_read_and_taken_over(tmp_path):
    line = json.dumps([ONE, entry(1)])
    (tmp_path / "manifest.journal").write_text(f'{line}\n["{TWO}", {{"ro')
    assert entries(tmp_path) == {ONE: entry(1)}
    with journal(tmp_path) as book:
        assert book.entries == {ONE: entry(1)}
        book.enter(TWO, entry(2))
    assert entries(tmp_path) == {ONE: entry(1), TWO: entry(2)}
    assert not (tmp_path / "manifest.journal").exists()


def test_a_journal_in_which_nothing_was_entered_leaves_nothing(tmp_path):
    with journal(tmp_path / "w"):
        pass
    assert not (tmp_path / "w").exists()


def test_a_journal_that_names_no_world_is_refused(tmp_path):
    (tmp_path / "manifest.journal").write_text('["../x", {}]\n')
    with pytest.raises(StorageError, match=r"it names a world '\.\./x', which is no id"):
        entries(tmp_path)
