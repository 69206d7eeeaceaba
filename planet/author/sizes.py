"""How large worlds of a profile are: what the template draws from, and what a model is told."""

from planet.author.library.rows import TOTAL
from planet.records.frozen import Frozen


class Sizes(Frozen):
    """How large a world of one profile is; ranges hold both ends."""

    services: tuple[int, int]
    tables: tuple[int, int]  # of the catalog or an author's own, derived ones apart
    derived: tuple[int, int]
    slice: tuple[int, int]
    rows: tuple[int, int]  # of one table
    total: int | None  # rows of a world, about; None: what the tables' rows come to
    rules: int
    distractors: int


SIZES = {
    "compact": Sizes(
        services=(2, 5),
        tables=(4, 5),
        derived=(0, 0),
        slice=(2, 3),
        rows=(8, 14),
        total=None,
        rules=2,
        distractors=2,
    ),
    "library": Sizes(
        services=(13, 14),
        tables=(15, 20),
        derived=(11, 16),
        slice=(2, 6),
        rows=(25, 230),
        total=TOTAL,
        rules=15,
        distractors=6,
    ),
}
"""What a model is told. The template's library worlds follow `planet.author.library`; these are its middle
nine tenths, and a test measures them anew."""
