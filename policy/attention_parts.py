"""In how many parts the tokens of a row read each other; free of JAX, so that plans know it as well."""

PARTS = 4
SHORTEST = 128
"""Tokens of a row from which on parts pay."""


def parts(width: int) -> int:
    """Parts of a row of so many tokens. Each reads no further than its last token."""
    return PARTS if width % PARTS == 0 and width >= SHORTEST else 1


def reads(width: int) -> float:
    """Tokens of a row that a token reads, as computed: part p of n reads p / n of the row."""
    count = parts(width)
    return width * (count + 1) / (2 * count)
