"""The scale of difficulty: what a brief can ask to be easier, and harder, than what the configuration asks.

Ladders and the rival rule that hardens and softens climb the same scale.
"""

from planet.records.world import Difficulty

PAGE_READING = frozenset({"operation:search_documents", "operation:get_document"})
"""Cells of tasks in which a policy page has to be found."""


def scale(base: Difficulty, reads_pages: bool = True) -> tuple[Difficulty, ...]:
    """Difficulties from the easiest to `base`, each at least as hard as the one before, without repetition.

    The easiest: one reference to follow, one column to set, the page named, no distractor pages. Then two
    columns and the page to be found among no distractors. `reads_pages` False: pages stay as they are.
    """
    easiest = base.replace(hops=1, columns=1)
    middle = base.replace(hops=1)
    if reads_pages:
        easiest = easiest.replace(distractors=0, cited=True)
        middle = middle.replace(distractors=0)
    return tuple(dict.fromkeys((easiest, middle, base)))


def harder(base: Difficulty) -> Difficulty:
    """Two references to follow where the world affords it, and two more distractor pages."""
    return base.replace(hops=2, distractors=base.distractors + 2, columns=2, cited=False)


def told(difficulty: Difficulty) -> str:
    """A difficulty in a few words."""
    words = [
        "1 hop" if difficulty.hops == 1 else f"{difficulty.hops} hops",
        "1 column" if difficulty.columns == 1 else f"{difficulty.columns} columns",
        f"{difficulty.distractors} distractors",
    ]
    return ", ".join([*words, "page named"] if difficulty.cited else words)
