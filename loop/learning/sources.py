"""A digest of the program itself, so that nothing cached outlives the code that made it."""

import hashlib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SUFFIXES = {".py", ".yaml", ".json"}


@cache
def source_digest(*packages: str) -> str:
    """Sixteen hexadecimal digits that change with any source or data file of the packages."""
    found = hashlib.sha256()
    for package in packages:
        for path in sorted((ROOT / package).rglob("*")):
            if path.suffix in _SUFFIXES and path.is_file():
                found.update(path.relative_to(ROOT).as_posix().encode())
                found.update(path.read_bytes())
    return found.hexdigest()[:16]
