"""The work that both decoders do: continue prompts greedily by so many tokens.

Imports nothing: both interpreters read it. Prompts are read before the clock starts; the clock covers the
sampling of every token and the forward pass after it.
"""

from typing import NamedTuple

TEXT = (
    "The warehouse of a small manufacturer receives goods every morning. A clerk compares each delivery with "
    "its order, notes what is missing, and writes to the supplier when a box is damaged. At noon the list of "
    "open orders is printed, so that the sales team can tell customers when their goods will arrive. What "
    "was promised for today is packed first. Whoever finds an error in an invoice sets it to disputed and "
    "tells the accountant, who asks the supplier for a new one. Contracts that end within a month are "
    "renewed only after the manager has seen them. In the evening all tickets of the day are read once "
    "more, and those that nobody has answered are given to the team lead."
)
"""What prompts are cut from."""


class Work(NamedTuple):
    """Prompts of equal length that are continued side by side."""

    weights: str  # the file that both read
    prompts: list[list[int]]  # token ids, as many prompts as the largest batch has
    batches: list[int]  # how many are continued at once
    new: int  # tokens that each is continued by, whatever they are
    repeat: int  # measurements of a batch
    threads: int


def prompts_of(ids: list[int], count: int, length: int) -> list[list[int]]:
    """So many prompts that begin at different places of a text, which is repeated as often as it takes."""
    step = max(1, len(ids) // count)
    return [[ids[(n * step + place) % len(ids)] for place in range(length)] for n in range(count)]
