"""Worlds live as long as a run: Python's collector of cycles need not walk over them again and again.

It looks at every object that lives whenever their number has grown by a quarter, and a pool of worlds holds
half a million of them.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def long_lived() -> Iterator[None]:
    """Nothing is collected while this lasts; what lives at its end is left out of later collections."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.freeze()
        if collecting:
            gc.enable()


def look_again() -> None:
    """Collect everything again: the run that it lived for is over."""
    gc.unfreeze()
