"""The remedy at the end of an error line: the nearest valid name, or the valid names."""

from collections.abc import Iterable
from difflib import get_close_matches


def hint(value: object, valid: Iterable[str]) -> str:
    """`did you mean 'x'?` when a valid name is near `value`, else the valid names (at most twelve)."""
    names = sorted(valid)
    near = [name for name in names if name.casefold() == str(value).casefold()]  # "br" has nothing of "BR"
    near = near or get_close_matches(str(value), names, n=1, cutoff=0.6)
    if near:
        return f"did you mean '{near[0]}'?"
    if not names:
        return "there is none to choose from"
    shown = ", ".join(names[:12])
    return f"valid are {shown}" + (f" and {len(names) - 12} more" if len(names) > 12 else "")
