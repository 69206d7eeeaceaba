"""Identity is a hash of canonical JSON, and randomness is a stream named by what it is for.

No clock and no uuid: two runs of the same configuration give equal identities and equal draws.
"""

import hashlib
import json
import random
from typing import Any

from pydantic import BaseModel


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces, so that equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain)


def digest(value: Any, length: int = 16) -> str:
    """The first `length` hexadecimal digits of the SHA-256 of `value` as canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:length]


def stream(*names: str | int) -> random.Random:
    """A random stream for one purpose, e.g. `stream(seed, "tasks", world_id)`; independent of all others."""
    return random.Random(seed_of(*names))


def seed_of(*names: str | int) -> int:
    """A 63-bit seed for one purpose; the integer counterpart of `stream`, for NumPy and JAX."""
    return int(hashlib.sha256(canonical_json(list(names)).encode()).hexdigest()[:16], 16) >> 1


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no canonical JSON form")
