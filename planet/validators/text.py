"""Text that may stand in a world: printable, bounded, and shown shortened in messages."""

import re

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
"""A table or column: words joined by underscores, because tools, pages and instructions split it there."""
VALUE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
"""An enum value; it may begin with a digit."""
LONGEST_NAME = 60
LONGEST_TEXT = 2_000
"""Characters of a cell; the tools accept no longer text either."""


def problem_of(text: str, longest: int) -> str | None:
    """What keeps `text` out of a world, in words; None when nothing does."""
    if not text.strip():
        return "is empty"
    if len(text) > longest:
        return f"has {len(text)} characters; at most {longest} are allowed"
    if not text.isprintable():
        return f"is {shown(text)}, which is not printable on one line"
    return None


def shown(value: object) -> str:
    """`value` for a message, at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def listed(names: list[str] | tuple[str, ...], most: int = 5) -> str:
    """The first few of `names`, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
