"""Which slots of a cache lie on which part of a mesh; free of JAX.

Where a mesh divides the slots, every part has as many, one after the other, and the rows of a call are shared
alike. A row only looks at slots of its own part, so no keys and values ever go from one device to another.
"""

from collections.abc import Iterable
from typing import NamedTuple


class Shards(NamedTuple):
    """Slots and the parts that they fall into."""

    slots: int
    parts: int  # 1: all of them lie together, on one device or whole on every one

    def part_of(self, slot: int) -> int:
        """The part that a slot lies in."""
        return slot // (self.slots // self.parts)

    def rows_for(self, rows: int) -> int:
        """Rows of a call for so many, equally many for every part."""
        return -(-rows // self.parts) * self.parts

    def seated(self, slots: Iterable[int], rows: int) -> list[int | None]:
        """The slot of every row of a call, None where it idles; the first ones in each part find a row."""
        each = rows // self.parts
        seats: list[list[int | None]] = [[] for _ in range(self.parts)]
        for slot in slots:
            if len(seats[self.part_of(slot)]) < each:
                seats[self.part_of(slot)].append(slot)
        return [slot for part in seats for slot in [*part, *[None] * (each - len(part))]]

    def spread(self, free: Iterable[int], taken: Iterable[int]) -> list[int]:
        """Free slots in the order to take them in: those of the part with fewest episodes first."""
        episodes = [0] * self.parts
        for slot in taken:
            episodes[self.part_of(slot)] += 1
        order = []
        for slot in sorted(free):
            order.append((episodes[self.part_of(slot)], slot))
            episodes[self.part_of(slot)] += 1
        return [slot for _, slot in sorted(order)]


def shards(slots: int, parts: int) -> Shards:
    """Slots on a mesh whose devices share rows in so many parts; slots that it does not divide stay whole."""
    return Shards(slots, 1 if slots % parts else parts)
