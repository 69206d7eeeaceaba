"""The append-only vocabulary: special tokens, slots, words, and spare rows for words to come.

A word's id never changes: new words only take spare rows, so a checkpoint stays valid under any extension of
the vocabulary it was trained with, and `digest` of a prefix proves that it is one.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from planet.identity import digest
from policy.errors import VocabularyError

SPECIALS = (
    "<pad>", "<unk>", "<end>", "<task>", "<tools>", "<row>", "<ok>", "<more>", "<none>", "<error>",
    "<answer>",
    ",", "=", "<", ">", "1", "2", "3", "4", "5", "6", "7", "8", "9",
)  # fmt: skip
"""Tokens with a meaning of their own; the digits stand for page numbers only."""

PAD, UNK, END, TASK, TOOLS, ROW, OK, MORE, NONE, ERROR, ANSWER = range(11)

SLOTS = 96
"""Tokens that stand for the literals of an episode, in order of first appearance."""

FIRST_SLOT = len(SPECIALS)
FIRST_WORD = FIRST_SLOT + SLOTS

GRAMMAR = (
    "search", "list", "get", "update", "documents", "document", "query", "id", "page", "contains", "and",
    "or", "not", "true", "false", "title", "body", "label", "status", "done", "created", "the", "a", "of",
    "to", "for", "with", "is", "in", "no", "record", "unknown", "argument", "tool", "value", "must", "be",
)  # fmt: skip
"""Words that calls, results and errors need in any world."""

OWN = Path(__file__).with_name("vocabulary.json")
"""The vocabulary that comes along, and that every run uses."""

_WORD = re.compile(r"[a-z][a-z0-9]*")


@dataclass(frozen=True)
class Vocabulary:
    """Words in the order of their ids; `rows` is the number of embedding rows, spare ones included."""

    words: tuple[str, ...]
    rows: int

    def __post_init__(self) -> None:
        for word in self.words:
            if not _WORD.fullmatch(word):
                raise VocabularyError(
                    f"{word!r} is not a word; a word is a lower-case letter, then letters or digits"
                )
        if len(self.ids) < len(self.words):
            raise VocabularyError("a word occurs twice; an id would be ambiguous: remove the second one")
        if FIRST_WORD + len(self.words) > self.rows:
            raise VocabularyError(f"{len(self.words)} words do not fit into {self.rows} rows; raise `rows`")

    @cached_property
    def ids(self) -> dict[str, int]:
        """Word -> token id."""
        return {word: FIRST_WORD + index for index, word in enumerate(self.words)}

    def spell(self, token: int) -> str:
        """The text of a token id; a spare row reads as <unk>."""
        if token < FIRST_SLOT:
            return SPECIALS[token]
        if token < FIRST_WORD:
            return f"<s{token - FIRST_SLOT}>"
        index = token - FIRST_WORD
        return self.words[index] if index < len(self.words) else SPECIALS[UNK]

    def digest(self, count: int | None = None) -> str:
        """Hash of the ids of the first `count` words (None: of all), special tokens and slots included."""
        return digest([list(SPECIALS), SLOTS, list(self.words[:count])])

    def extend(self, words: Iterable[str]) -> "Vocabulary":
        """The vocabulary with new words appended, in sorted order; known words keep their ids."""
        new = sorted({word.lower() for word in words} - set(self.words))
        return Vocabulary((*self.words, *new), self.rows)

    def require_extension_of(self, known: str, count: int) -> None:
        """Raise VocabularyError unless the first `count` words are those whose digest is `known`."""
        if len(self.words) < count or self.digest(count) != known:
            raise VocabularyError(
                f"the checkpoint was trained with vocabulary {known} of {count} words, and this one "
                f"({self.digest()}, {len(self.words)} words) does not extend it; use the checkpoint's own"
            )


def build(words: Iterable[str], rows: int = 1024) -> Vocabulary:
    """A vocabulary of the grammar's words and the given ones; names such as `due_date` are split at `_`."""
    parts = {part for word in words for part in word.lower().split("_")}
    return Vocabulary(GRAMMAR, rows).extend(part for part in parts if _WORD.fullmatch(part))


def save(vocabulary: Vocabulary, path: Path) -> None:
    """Write vocabulary.json, whole or not at all."""
    text = json.dumps({"rows": vocabulary.rows, "words": list(vocabulary.words)}, indent=0)
    part = path.with_name(f"{path.name}.part")
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(path)


def load(path: Path | None = None) -> Vocabulary:
    """Read vocabulary.json; None reads the package's own. VocabularyError when unreadable."""
    path = path or OWN
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Vocabulary(tuple(data["words"]), int(data["rows"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise VocabularyError(
            f"{path} is no vocabulary ({error}); write one with `python -m policy.vocabulary --words FILE`"
        ) from error


def main(argv: list[str] | None = None) -> int:
    """Append the words of a file (one per line) to the vocabulary that runs use, or start one."""
    from planet.command import Parser, positive
    from policy.command import finish

    parser = Parser(prog="python -m policy.vocabulary", description=main.__doc__)
    parser.add_argument(
        "--words", type=Path, required=True, help="text file with one word or snake_case name a line"
    )
    parser.add_argument(
        "--rows", type=positive, metavar="N",
        help="embedding rows (default: as many as now, 1024 at first); policy.decoder.vocabulary_rows goes "
        "with it, and checkpoints of another number do not fit",
    )  # fmt: skip
    given = parser.parse_args(argv)

    def grow() -> int:
        try:
            words = given.words.read_text(encoding="utf-8").split()
        except UnicodeDecodeError:
            raise VocabularyError(f"{given.words} is no text in UTF-8; give one word a line") from None
        known = load() if OWN.exists() else build((), given.rows or 1024)
        roomy = replace(known, rows=given.rows or known.rows)
        grown = roomy.extend(build(words, 1 << 20).words)
        save(grown, OWN)
        print(
            f"{OWN}: {len(known.words)} -> {len(grown.words)} words, {grown.rows} rows, digest "
            f"{grown.digest()}"
        )
        return 0

    return finish(parser, grow)


if __name__ == "__main__":
    raise SystemExit(main())
