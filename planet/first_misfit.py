"""What a record from elsewhere complains of first: the field, the value seen, and what is wanted."""

from pydantic import ValidationError

LONGEST_VALUE = 60
"""Characters of a value that are shown."""


def first_misfit(error: ValidationError) -> str:
    """One line, e.g. `company.name is 5, which should be a valid string`."""
    first = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(map(str, first["loc"])) or "it"
    said = " ".join(first["msg"].split())
    if first["type"] == "missing":
        return f"{field} is missing"
    if first["type"] == "extra_forbidden":
        return f"{field} is no field that is known"
    if first["type"] == "json_invalid":
        return said[:1].lower() + said[1:]
    wanted = said.removeprefix("Input ").removeprefix("Value error, ")
    joint = ", which " if said.startswith("Input ") else ": "
    return f"{field} is {_shown(first['input'])}{joint}{wanted}"


def _shown(value: object) -> str:
    if isinstance(value, dict | list | tuple):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value[: LONGEST_VALUE + 1] if isinstance(value, str) else value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."
