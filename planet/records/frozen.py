"""The base of every record on disk."""

from typing import Any

from pydantic import BaseModel, ConfigDict

Scalar = str | int | float | bool | None
"""A cell of a table or an argument of a tool."""


LONGEST_FIELD = 1_000_000
"""Characters of a text; more than any field of any record needs, and little enough to handle."""


class Frozen(BaseModel):
    """An immutable record; an unknown field is an error, and so is a text beyond all measure."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_max_length=LONGEST_FIELD)

    def replace(self, **changes: Any) -> "Any":
        """A copy with the given fields changed, not validated again; nothing cached comes along."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        unknown = changes.keys() - fields.keys()
        if unknown:
            known = ", ".join(fields)
            raise TypeError(f"{type(self).__name__} has no field {min(unknown)}; fields are {known}")
        return type(self).model_construct(**(fields | changes))
