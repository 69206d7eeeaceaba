"""What is cached does not outlive the code that made it."""

from pathlib import Path

import pytest

from loop.learning import sources


def test_the_digest_changes_with_any_source_or_data_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    (tmp_path / "thing").mkdir()
    (tmp_path / "thing" / "a.py").write_text("x = 1\n")
    digests = []
    for name, text in (("a.py", "x = 1\n"), ("a.py", "x = 2\n"), ("b.json", "{}"), ("notes.txt", "not code")):
        (tmp_path / "thing" / name).write_text(text)
        sources.source_digest.cache_clear()
        digests.append(sources.source_digest("thing"))
    sources.source_digest.cache_clear()
    assert len(set(digests)) == 3 and digests[2] == digests[3]


def test_the_packages_are_where_they_are_looked_for() -> None:
    assert (sources.ROOT / "policy" / "trainer.py").is_file()
