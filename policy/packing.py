"""Packing: token traces side by side in rows of one fixed width, so that training has one shape and
little padding.

Episodes that begin with the same tokens (the members of a group share their prompt) store them once: a row
holds a *trunk*, and after it *branches* that read the trunk and themselves but not each other. Positions
continue from the trunk in every branch, so a branch computes exactly what it would in a row of its own.
"""

from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from policy.errors import PolicyError

Array = TypeVar("Array")


class Example(NamedTuple):
    """One token trace to learn from."""

    ids: np.ndarray  # [t] int32
    sampled: np.ndarray  # [t] bool: tokens with a loss
    logp: np.ndarray  # [t] float32 under the sampler; 0 for demonstrations
    advantage: float  # of every sampled token; 1 for demonstrations
    weight: float  # of one sampled token in the loss of the whole step
    reward: float = 0.0  # of the episode, earned with its last sampled token
    age: np.ndarray | None = None  # [t] updates since the parameters that sampled a token; None: none


class Packed(NamedTuple, Generic[Array]):
    """Arrays [n, w] of n rows. Everything from `target` on belongs to the *next* token, which `ids`
    predicts."""

    ids: Array  # int32
    positions: Array  # int32 index within the episode
    trunk: Array  # int32 number of the trunk in its row, from 1; 0 is padding
    branch: Array  # int32 number of the branch in its row, from 1; 0 is the trunk itself
    target: Array  # int32 next token
    logp: Array  # float32
    advantage: Array  # float32
    weight: Array  # float32; 0 where there is no loss
    reference: Array  # float32 log-probability under a reference policy; 0 when there is none
    reward: Array  # float32 of the episode at its last sampled token; 0 elsewhere
    age: Array  # float32 updates since the parameters that sampled the token; 0: the present ones


Rows = Packed[np.ndarray]
"""Packed on the host."""


class _Piece(NamedTuple):
    """A trunk and some of its branches, to be laid into one row."""

    trunk: np.ndarray
    branches: list[Example]


def pack(examples: Sequence[Example], width: int) -> Rows:
    """Rows of `width` tokens that hold all examples; PolicyError when one is longer than a row."""
    rows: list[list[_Piece]] = []
    free: list[int] = []
    for trunk, branches in _groups(examples, width):
        waiting = sorted(branches, key=lambda e: -len(e.ids))
        place = 0
        while waiting:
            if place == len(rows):
                rows.append([])
                free.append(width)
            room = free[place] - len(trunk)
            taken: list[Example] = []
            left: list[Example] = []
            for example in waiting:
                size = len(example.ids) - len(trunk)
                (taken if size <= room else left).append(example)
                room -= size if size <= room else 0
            # To repeat the trunk for a lone branch wastes more than the hole it fills.
            if len(taken) > 1 or (taken and (len(waiting) == 1 or not rows[place])):
                rows[place].append(_Piece(trunk, taken))
                free[place], waiting = room, left
            place += 1
    packed = _empty(max(len(rows), 1), width)
    for index, pieces in enumerate(rows):
        _lay(Packed(*(array[index] for array in packed)), pieces)
    return packed


def batches(packed: Rows, rows: int) -> Iterator[Rows]:
    """Micro-batches of exactly `rows` rows; the last one is padded with empty rows."""
    for start in range(0, len(packed.ids), rows):
        part = Packed(*(array[start : start + rows] for array in packed))
        missing = rows - len(part.ids)
        yield Packed(*(np.pad(array, ((0, missing), (0, 0))) for array in part)) if missing else part


def _groups(examples: Sequence[Example], width: int) -> list[tuple[np.ndarray, list[Example]]]:
    """Examples by common trunk, the largest groups first."""
    groups: dict[bytes, list[Example]] = {}
    for example in examples:
        if len(example.ids) > width:
            raise PolicyError(
                f"an episode of {len(example.ids)} tokens does not fit into a row of {width}; raise "
                f"packing.width to at least rollout.context"
            )
        groups.setdefault(_trunk(example).tobytes(), []).append(example)
    pairs = [(_trunk(group[0]) if len(group) > 1 else group[0].ids[:0], group) for group in groups.values()]
    return sorted(pairs, key=lambda pair: -(len(pair[0]) + sum(len(e.ids) - len(pair[0]) for e in pair[1])))


def _trunk(example: Example) -> np.ndarray:
    """The tokens before the last one of the prompt: that one must be repeated, because it predicts a first
    choice."""
    first = int(np.argmax(example.sampled)) if example.sampled.any() else len(example.ids)
    return example.ids[: max(first - 1, 0)]


def _last(sampled: np.ndarray) -> np.ndarray:
    """Where the last of the sampled tokens is, [t] bool."""
    return sampled & (np.cumsum(sampled) == np.sum(sampled))


def _empty(rows: int, width: int) -> Rows:
    whole = [np.zeros((rows, width), np.int32) for _ in range(5)]
    real = [np.zeros((rows, width), np.float32) for _ in range(6)]
    return Packed(*whole, *real)


def _lay(row: Rows, pieces: list[_Piece]) -> None:
    """Write pieces into one row (arrays [w], changed in place)."""
    at, branch = 0, 0
    for number, piece in enumerate(pieces, start=1):
        stop = at + len(piece.trunk)
        row.ids[at:stop] = piece.trunk
        row.positions[at:stop] = np.arange(stop - at)
        row.trunk[at:stop] = number
        at = stop
        for example in piece.branches:
            branch += 1
            skip = len(piece.trunk)
            size = len(example.ids) - skip
            span, predicting = slice(at, at + size), slice(at, at + size - 1)
            row.ids[span] = example.ids[skip:]
            row.positions[span] = np.arange(skip, skip + size)
            row.trunk[span], row.branch[span] = number, branch
            row.target[predicting] = example.ids[skip + 1 :]
            row.logp[predicting] = example.logp[skip + 1 :]
            row.advantage[predicting] = example.advantage
            row.weight[predicting] = np.where(example.sampled[skip + 1 :], example.weight, 0.0)
            row.reward[predicting] = np.where(_last(example.sampled)[skip + 1 :], example.reward, 0.0)
            if example.age is not None:
                row.age[predicting] = example.age[skip + 1 :]
            at += size
