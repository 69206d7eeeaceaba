"""Several processes as one program: what each of them says becomes known to all.

All processes do the same in the same order, so a call here is answered when every process has made it. The
bytes travel as arrays over the devices, like everything else that the processes share.
"""

import jax
import numpy as np
from jax.experimental import multihost_utils

LEAST = 256
"""Bytes that are sent at least; lengths double from here, so that few programs are compiled."""


def gathered(said: bytes) -> list[bytes]:
    """What every process said, in their order; alone, what this one said."""
    if jax.process_count() == 1:
        return [said]
    lengths = [int(length) for length in multihost_utils.process_allgather(np.asarray([len(said)]))[:, 0]]
    padded = np.zeros(room(max(lengths)), np.uint8)
    padded[: len(said)] = np.frombuffer(said, np.uint8)
    rows = multihost_utils.process_allgather(padded)
    return [row[:length].tobytes() for row, length in zip(rows, lengths, strict=True)]


def of_the_first(numbers: list[int]) -> list[int]:
    """The numbers that process 0 gave, on every process."""
    return np.frombuffer(gathered(np.asarray(numbers, np.int64).tobytes())[0], np.int64).tolist()


def room(length: int) -> int:
    """Bytes that are sent for so many: the next power of two."""
    return max(LEAST, 1 << (length - 1).bit_length()) if length else LEAST
