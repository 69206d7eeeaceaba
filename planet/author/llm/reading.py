"""From what a model wrote to an artifact, or one line that says why there is none.

The text is untrusted: its length and depth are bounded before it is parsed, and one JSON object is taken.
"""

import json
import re
from typing import Any

from pydantic import ValidationError

from planet.author.artifacts import ARTIFACTS, Artifact, Link
from planet.catalog.resource import ID
from planet.errors import AuthorError
from planet.language_model.answer import LONGEST_ANSWER
from planet.strict_json import loads
from planet.validators.text import shown

DEEPEST = 12
"""Brackets within brackets; an artifact has six."""
_MOST_PROBLEMS = 6
_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)


def read_artifact(link: Link, text: str, characters: int) -> Artifact:
    """The artifact in `text`; AuthorError says what is wrong with it. `characters`: of the whole text."""
    if characters > LONGEST_ANSWER:
        raise AuthorError(f"the answer has {characters:,} characters; at most {LONGEST_ANSWER:,} are read")
    plain = _unwrapped(link, read_object(text))
    if link == "schema":
        plain = _with_ids(plain)
    try:
        return ARTIFACTS[link].model_validate(plain)  # type: ignore[return-value]
    except ValidationError as error:
        raise AuthorError(_complaint(error)) from None


def read_object(text: str) -> dict[str, Any]:
    """The one JSON object of a text, prose and fences around it apart; AuthorError when there is none."""
    text = _THOUGHTS.sub("", text)
    if not text.strip():
        raise AuthorError("the answer is empty; answer with one JSON object")
    problem, start = None, text.find("{")
    while start >= 0:
        end = _end(text, start)
        if end is None:
            raise AuthorError(
                f"the JSON of the answer breaks off after {len(text):,} characters; "
                "close every bracket, and be brief"
            )
        try:
            return _parsed(text[start:end])
        except ValueError as error:
            problem = problem or f"the JSON of the answer cannot be read: {_shortened(error)}"
        start = text.find("{", end)
    raise AuthorError(problem or f"the answer holds no JSON object: {shown(text)}; answer with one alone")


def _end(text: str, start: int) -> int | None:
    """Where the object that begins at `start` ends, or None; AuthorError when it goes too deep."""
    depth, in_string, place = 0, False, start
    while place < len(text):
        mark = text[place]
        if in_string:
            place += mark == "\\"
            in_string = mark != '"'
        elif mark == '"':
            in_string = True
        elif mark in "{[":
            depth += 1
            if depth > DEEPEST:
                raise AuthorError(
                    f"the JSON of the answer is nested more than {DEEPEST} deep; follow the schema"
                )
        elif mark in "}]":
            depth -= 1
            if depth == 0:
                return place + 1
        place += 1
    return None


def _parsed(text: str) -> dict[str, Any]:
    value = loads(text, _distinct)
    json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair is a ValueError here, not later
    if not isinstance(value, dict):
        raise ValueError("it is no object")
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    twice = next((key for key in keys if keys.count(key) > 1), None) if len(set(keys)) < len(keys) else None
    if twice is not None:
        raise ValueError(f"key {shown(twice)} stands twice in one object")
    return dict(pairs)


def _unwrapped(link: Link, value: dict[str, Any]) -> dict[str, Any]:
    """The object itself; `{"company": {...}}` is a habit that costs nothing to forgive."""
    inner = value.get(link)
    return inner if len(value) == 1 and isinstance(inner, dict) else value


def _with_ids(plan: dict[str, Any]) -> dict[str, Any]:
    """Tables of the author's own with their id column, which a catalog entry leaves out."""
    custom = plan.get("custom")
    if not isinstance(custom, list):
        return plan
    return {**plan, "custom": [_with_id(table) for table in custom]}


def _with_id(table: Any) -> Any:
    columns = table.get("columns") if isinstance(table, dict) else None
    if not isinstance(columns, list) or any(isinstance(c, dict) and c.get("name") == "id" for c in columns):
        return table
    return {**table, "columns": [ID.model_dump(mode="json"), *columns]}


def _complaint(error: ValidationError) -> str:
    """The first few things that do not fit the schema, each with its place."""
    errors = error.errors(include_url=False)
    lines = []
    for found in errors[:_MOST_PROBLEMS]:
        where = ".".join(str(part)[:40] for part in found["loc"])
        if found["type"] == "missing":
            lines.append(f"{where} is missing")
        elif found["type"] == "extra_forbidden":
            lines.append(f"{where} is not known; leave it out")
        else:
            lines.append(f"{where}: {shown(found['input'])} does not fit: {found['msg']}")
    more = f"; and {len(errors) - _MOST_PROBLEMS} more" if len(errors) > _MOST_PROBLEMS else ""
    return f"the answer does not fit the schema: {'; '.join(lines)}{more}"


def _shortened(error: ValueError) -> str:
    text = str(error)
    return text if len(text) <= 200 else f"{text[:197]}..."
