"""The vocabulary only ever grows at its end."""

import json
from pathlib import Path

import pytest

from planet.catalog import load_catalog
from planet.words import all_words
from policy import vocabulary as v
from policy.errors import VocabularyError


def test_known_words_keep_their_ids_when_words_are_added() -> None:
    before = v.build(["zebra", "due_date"], rows=256)
    after = before.extend(["apple", "zebra"])
    assert after.words == (*before.words, "apple")
    assert all(after.ids[word] == token for word, token in before.ids.items())


def test_ids_are_special_tokens_then_slots_then_words() -> None:
    vocabulary = v.build([], rows=256)
    assert (v.FIRST_SLOT, v.FIRST_WORD) == (24, 24 + 96)
    assert vocabulary.spell(v.END) == "<end>"
    assert vocabulary.spell(24 + 3) == "<s3>"
    assert vocabulary.spell(120) == vocabulary.words[0] == "search"
    assert vocabulary.spell(255) == "<unk>", "a spare row has no word yet"


def test_an_extension_is_accepted_and_anything_else_refused() -> None:
    trained = v.build(["apple", "pear"], rows=256)
    trained.extend(["zebra"]).require_extension_of(trained.digest(), len(trained.words))
    with pytest.raises(VocabularyError, match="does not extend it; use the checkpoint's own"):
        v.build(["pear"], rows=256).require_extension_of(trained.digest(), len(trained.words))
    with pytest.raises(VocabularyError, match="does not extend"):
        v.build(["apple", "plum"], rows=256).require_extension_of(trained.digest(), len(trained.words))


def test_a_vocabulary_that_cannot_be_one_says_what_to_do() -> None:
    with pytest.raises(VocabularyError, match=r"'Two words' is not a word"):
        v.Vocabulary(("Two words",), 256)
    with pytest.raises(VocabularyError, match="a word occurs twice"):
        v.Vocabulary(("a", "a"), 256)
    with pytest.raises(VocabularyError, match="do not fit into 130 rows; raise `rows`"):
        v.build([f"w{i}" for i in range(20)], rows=130)


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command writes instead of into the package."""
    file = tmp_path / "vocabulary.json"
    monkeypatch.setattr(v, "OWN", file)
    return file


def test_a_file_is_read_back_and_extended_by_the_command(tmp_path: Path, out: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("due_date\nticket\n=\n")
    v.main(["--words", str(words), "--rows", "256"])
    first = v.load(out)
    assert {"due", "date", "ticket"} <= set(first.words)
    words.write_text("zebra ticket")
    v.main(["--words", str(words)])
    assert v.load(out).words == (*first.words, "zebra")
    assert v.load(out).rows == 256


def test_the_rows_of_a_file_that_is_there_can_be_raised(
    tmp_path: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = tmp_path / "words.txt"
    v.save(v.build(["ticket"], rows=158), out)  # 120 before the words, 37 of the grammar, and one
    words.write_text("zebra")
    assert v.main(["--words", str(words)]) == 2
    assert "39 words do not fit into 158 rows" in capsys.readouterr().err
    assert v.main(["--words", str(words), "--rows", "159"]) == 0
    assert (v.load(out).words[-2:], v.load(out).rows) == (("ticket", "zebra"), 159)


def test_words_that_cannot_be_read_or_do_not_fit_end_the_command_with_one_line(
    tmp_path: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = tmp_path / "words.txt"
    cases = (
        (None, 256, "words.txt: does not exist; check the name"),
        (b"a1 b2", 157, "39 words do not fit"),
        (b"\x85", 256, "no text in UTF-8"),
    )
    for text, rows, told in cases:
        if text is not None:
            words.write_bytes(text)
        code = v.main(["--words", str(words), "--rows", str(rows)])
        said = capsys.readouterr().err
        assert code == 2 and told in said and said.count("\n") == 1
        assert not list(tmp_path.glob("vocabulary*"))


def test_an_unreadable_file_names_the_remedy(tmp_path: Path) -> None:
    broken = tmp_path / "vocabulary.json"
    broken.write_text(json.dumps({"rows": 256}))
    with pytest.raises(VocabularyError, match="write one with `python -m policy"):
        v.load(broken)


def test_the_vocabulary_that_comes_along_knows_every_word_of_the_catalog() -> None:
    missing = set(v.build(all_words(load_catalog())).words) - set(v.load().words)
    assert not missing, "append them with `python -m policy.vocabulary --words FILE`"
