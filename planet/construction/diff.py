"""A diff: the changes of a state, as the JSON that samples answer with."""

import json
from typing import Any

from planet.author.llm.reading import read_object
from planet.errors import AuthorError
from planet.identity import canonical_json
from planet.records.task import Edit

NEW = "new"
"""The key of a record that is inserted; the world gives it its id."""
SHAPE = (
    'Answer with one JSON object {"edits": [...]}, in order, each of them {"op": "set" or "insert", '
    f'"table": ..., "key": the id of the row, or "{NEW}" for an insert, "values": {{column: value}}}}.'
)


def written(edits: tuple[Edit, ...]) -> str:
    """Edits as text."""
    return canonical_json({"edits": [edit.model_dump(mode="json") for edit in edits]})


def read(text: str) -> tuple[Edit, ...]:
    """Edits from text; AuthorError when it holds none."""
    plain: Any = read_object(text).get("edits")
    if not isinstance(plain, list):
        raise AuthorError("the answer has no list of edits")
    return tuple(Edit.model_validate_json(json.dumps(edit)) for edit in plain)
