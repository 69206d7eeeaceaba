"""`WorldCodec`: what an agent reads and says in PLANET's worlds, in words of a vocabulary and slots.

Names are split at `_` into words of the vocabulary. Every other literal (record ids, names, dates, amounts,
names outside the vocabulary) is a *slot*: the n-th literal of an episode is the n-th slot token wherever it
occurs, the extended vocabulary of pointer-generator networks (arXiv 1704.04368). So a value is copied token
by token, the name of a resource outside the catalog is one token however many words it has, and a world with
unheard-of resources needs no new weights.

    prompt   <task> support lead , set the priority of ticket <s0> to high <tools> ticket , customer <end>
    call     search customer , name = <s1> , page 2 <end>
    call     update ticket , id <s0> , priority high <end>
    answer   <answer> done <end>
    search   <row> <s0> <s2> open <row> <s3> <s4> closed <more> <end>
    get      id <s0> name <s2> priority high <end>
    update   <ok> <s0> <end>
    failure  <error> unknown tool <end>
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from planet.records.episode import ToolResult
from planet.records.view import TaskView, ToolSpec
from policy import vocabulary as v
from policy.codec import Answer, Malformed, ToolCall
from policy.names import Names, stem
from policy.vocabulary import Vocabulary

_TEXT = re.compile(
    r'"(?P<quoted>[^"]*)"'
    r"|(?P<id>[A-Z][A-Z0-9]*-\d+)"
    r"|(?P<date>\d{4}-\d{2}-\d{2})"
    r"|(?P<number>-?\d+(?:\.\d+)?)"
    r"|(?P<word>[A-Za-z][A-Za-z0-9]*)"
)
_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
_OPERATIONS = {"search", "list", "get", "update"}
_COMMA, _EQUAL, _LESS, _GREATER = (v.SPECIALS.index(mark) for mark in (",", "=", "<", ">"))
_FIRST_DIGIT = v.SPECIALS.index("1")
_ERROR_WORDS = 8


class WorldCodec:
    """The codec of PLANET's worlds: words of a vocabulary, and slots."""

    end = v.END

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def episode(self, view: TaskView, unheard: frozenset[str] = frozenset()) -> "WorldEpisode":
        return WorldEpisode(self.vocabulary, view, unheard)


class WorldEpisode:
    """`WorldCodec` within one episode. A literal that finds no free slot becomes <unk>, counted."""

    def __init__(self, vocabulary: Vocabulary, view: TaskView, unheard: frozenset[str] = frozenset()) -> None:
        self.view = view
        self.overflow = 0
        self._names = Names(view, vocabulary, unheard)
        self._vocabulary = vocabulary
        self._slots: dict[str, int] = {}
        self._literals: list[str] = []
        self._tools = {tool.name: tool for tool in view.tools}
        contains = vocabulary.ids["contains"]
        self._operators = {_EQUAL: "=", _LESS: "<", _GREATER: ">", contains: "contains"}
        self._marks = {mark: token for token, mark in self._operators.items()}

    # ── reading ───────────────────────────────────────────────────────────────────────────────────────────

    def prompt(self) -> list[int]:
        ids = [v.TASK, *self._name(self.view.role), _COMMA, *self._text(self.view.instruction), v.TOOLS]
        offers = [self._tool(offer) for offer in _offers(self.view.tools)]
        return [*ids, *_joined(offers, _COMMA), v.END]

    def observation(self, result: ToolResult) -> list[int]:
        payload = result.payload
        if payload is None:
            return [v.ERROR, *self._known_words(result.error or ""), v.END]
        if "rows" in payload:
            rows = [token for row in payload["rows"] for token in self._row(row)]
            return [*(rows or [v.NONE]), *([v.MORE] if payload.get("more") else []), v.END]
        if "created" in payload:
            return [v.OK, *self._value(payload["id"]), v.END]
        if payload.keys() == {"id", "title", "body"}:
            return [*self._text(payload["title"]), v.ROW, *self._text(payload["body"]), v.END]
        pairs = (
            token for column, value in payload.items() for token in (*self._name(column), *self._value(value))
        )
        return [*pairs, v.END]

    def _row(self, row: dict[str, Any]) -> list[int]:
        if "title" in row:
            return [v.ROW, *self._value(row["id"]), *self._text(row["title"])]
        return [v.ROW, *(token for value in row.values() for token in self._value(value))]

    # ── speaking ──────────────────────────────────────────────────────────────────────────────────────────

    def encode_call(self, tool: str, arguments: dict[str, Any]) -> list[int]:
        segments = [self._tool(tool)]
        for name, value in arguments.items():
            if name == "filters":
                segments.extend(self._filter(item) for item in value)
            else:
                segments.append([*self._name(name), *self._argument(name, value)])
        return [*_joined(segments, _COMMA), v.END]

    def encode_answer(self, text: str) -> list[int]:
        return [v.ANSWER, *self._text(text), v.END]

    def _filter(self, item: dict[str, Any]) -> list[int]:
        return [*self._name(item["column"]), self._marks[item["op"]], *self._value(item["value"])]

    def _argument(self, name: str, value: Any) -> list[int]:
        if name == "page" and isinstance(value, int) and 1 <= value <= 9:
            return [_FIRST_DIGIT + value - 1]
        if name == "query" and isinstance(value, str):
            return self._text(value) or self._value(value)
        return self._value(value)

    # ── understanding ─────────────────────────────────────────────────────────────────────────────────────

    def parse(self, ids: Sequence[int]) -> ToolCall | Answer | Malformed:
        body = [int(token) for token in ids]
        if not body or body[-1] != v.END:
            return Malformed(self.spell(body))
        body.pop()
        answering = bool(body) and body[0] == v.ANSWER
        pieces = self._pieces(body[1:] if answering else body)
        if pieces is None or not body:
            return Malformed(self.spell(body))
        if answering:
            return Answer(" ".join(piece for piece in pieces if piece))
        call = self._call(body, pieces)
        return call or Malformed(self.spell(body))

    def _pieces(self, body: list[int]) -> list[str] | None:
        """The text of each token; None when one has no place in a turn or its slot is empty."""
        pieces = []
        for token in body:
            if v.FIRST_SLOT <= token < v.FIRST_WORD:
                if token - v.FIRST_SLOT >= len(self._literals):
                    return None
                pieces.append(self._literals[token - v.FIRST_SLOT])
            elif token >= _COMMA:
                pieces.append(self._vocabulary.spell(token))
            elif token == v.NONE:
                pieces.append("")
            else:
                return None
        return pieces

    def _call(self, body: list[int], pieces: list[str]) -> ToolCall | None:
        cuts = [-1, *(i for i, token in enumerate(body) if token == _COMMA), len(body)]
        spans = [(a + 1, b) for a, b in pairwise(cuts)]
        name = "_".join(pieces[slice(*spans[0])])
        spec = self._tools.get(name)
        if not name:
            return None
        if spec is None:
            return ToolCall(name, {})
        arguments: dict[str, Any] = {"filters": []} if spec.operation == "search" else {}
        for start, stop in spans[1:]:
            if not self._read(spec, body[start:stop], pieces[start:stop], arguments):
                return None
        return ToolCall(name, arguments)

    def _read(self, spec: ToolSpec, body: list[int], pieces: list[str], arguments: dict[str, Any]) -> bool:
        """Add one argument to `arguments`; False when the segment is none."""
        marks = [i for i, token in enumerate(body) if token in self._operators and i > 0]
        if "filters" in arguments and marks:
            at = marks[0]
            column = "_".join(pieces[:at])
            schema = self._column_schema(spec, column)
            value = _value_of(body[at + 1 :], pieces[at + 1 :], schema)
            arguments["filters"].append({"column": column, "op": self._operators[body[at]], "value": value})
            return at + 1 < len(body)
        properties = spec.parameters.get("properties", {})
        split = _split_argument(pieces, properties)
        if split is None:
            return False
        name = "_".join(pieces[:split])
        if name in arguments:
            return False
        words = [piece.replace("_", " ") for piece in pieces[split:]] if name == "query" else pieces[split:]
        joint = " " if name == "query" else "_"
        arguments[name] = _value_of(body[split:], words, properties.get(name, {}), joint)
        return True

    def _column_schema(self, spec: ToolSpec, column: str) -> dict[str, Any]:
        """The type of a searched column, which the update tool of the same resource tells."""
        update = self._tools.get(f"update_{spec.resource}")
        return update.parameters.get("properties", {}).get(column, {}) if update else {}

    # ── words and literals ────────────────────────────────────────────────────────────────────────────────

    def spell(self, ids: Iterable[int]) -> str:
        """Tokens for a human reader, slots followed by their literals."""
        shown = []
        for token in ids:
            text = self._vocabulary.spell(token)
            index = token - v.FIRST_SLOT
            filled = 0 <= index < len(self._literals)
            shown.append(f"{text}{self._literals[index]!r}" if filled and token < v.FIRST_WORD else text)
        return " ".join(shown)

    def literals(self) -> tuple[str, ...]:
        """Literals of the episode so far, in the order of their slots."""
        return tuple(self._literals)

    def _slot(self, literal: str) -> int:
        token = self._slots.get(literal)
        if token is None:
            if len(self._literals) == v.SLOTS:
                self.overflow += 1
                return v.UNK
            token = self._slots[literal] = v.FIRST_SLOT + len(self._literals)
            self._literals.append(literal)
        return token

    def _word(self, word: str) -> int:
        token = self._vocabulary.ids.get(word.lower())
        return self._slot(word) if token is None else token

    def _name(self, name: str) -> list[int]:
        if name in self._names.strange:
            return [self._slot(name)]
        if stem(name) in self._names.strange:
            return [self._slot(stem(name)), self._word("id")]
        return [self._word(part) for part in name.split("_")]

    def _tool(self, name: str) -> list[int]:
        """A tool, or a resource that stands for its four."""
        spec = self._tools.get(name)
        if spec is None or spec.resource is None:
            return self._name(name)
        return [self._word(spec.operation), *self._name(spec.resource)]

    def _value(self, value: Any) -> list[int]:
        if value is None:
            return [v.NONE]
        if isinstance(value, bool):
            return [self._word("true" if value else "false")]
        if isinstance(value, (int, float)):
            return [self._slot(_plain_number(value))]
        if _SNAKE.fullmatch(str(value)):
            return self._name(str(value))
        return [self._slot(str(value))]

    def _text(self, text: str) -> list[int]:
        ids: list[int] = []
        for name, between in self._names.split(text):
            ids.extend(self._name(name) if name else self._plain_text(between))
        return ids

    def _plain_text(self, text: str) -> list[int]:
        ids: list[int] = []
        for match in _TEXT.finditer(text):
            kind, found = match.lastgroup, match[match.lastgroup or 0]
            if kind == "word":
                ids.append(self._word(found))
            elif kind == "number":
                ids.append(self._slot(_plain_number(float(found)) if "." in found else found))
            else:
                ids.extend(self._value(found))
        return ids

    def _known_words(self, text: str) -> list[int]:
        words = (self._vocabulary.ids.get(word) for word in re.findall(r"[a-z]+", text.lower()))
        return [token for token in words if token is not None][:_ERROR_WORDS]


def _offers(tools: Iterable[ToolSpec]) -> list[str]:
    """What the prompt says of the tools: a resource stands for its four; an incomplete one lists them."""
    by_resource: dict[str | None, list[ToolSpec]] = {}
    for tool in tools:
        by_resource.setdefault(tool.resource, []).append(tool)
    shared = by_resource.pop(None, [])
    offers: list[str] = []
    for resource, specs in by_resource.items():
        complete = {spec.operation for spec in specs} == _OPERATIONS
        offers.extend([str(resource)] if complete else [spec.name for spec in specs])
    if {spec.operation for spec in shared} != {"search_documents", "get_document"}:
        offers.extend([spec.name for spec in shared] or ["no_documents"])
    return offers


def _joined(segments: Iterable[list[int]], mark: int) -> list[int]:
    ids: list[int] = []
    for index, segment in enumerate(segments):
        ids.extend([mark, *segment] if index else segment)
    return ids


def _plain_number(value: float) -> str:
    """25 and 25.0 are one literal."""
    return str(int(value)) if value == int(value) else repr(value)


def _split_argument(pieces: list[str], properties: dict[str, Any]) -> int | None:
    """How many pieces name the argument: the longest property that leaves a value its enum admits."""
    fallback = None
    for size in range(len(pieces) - 1, 0, -1):
        schema = properties.get("_".join(pieces[:size]))
        if schema is None:
            continue
        if "enum" not in schema or "_".join(pieces[size:]) in schema["enum"]:
            return size
        fallback = fallback or size
    return fallback or (1 if len(pieces) > 1 else None)


def _value_of(body: list[int], pieces: list[str], schema: dict[str, Any], joint: str = "_") -> Any:
    """The value that tokens spell, as the schema's type where they can be read as it."""
    if body == [v.NONE]:
        return None
    text = joint.join(pieces)
    kind = schema.get("type")
    if kind == "boolean":
        return {"true": True, "false": False, "1": True, "0": False}.get(text, text)
    numeric = kind in ("integer", "number") or (kind is None and "enum" not in schema)
    if numeric and _NUMBER.fullmatch(text):
        return float(text) if "." in text or "e" in text else int(text)
    return text
