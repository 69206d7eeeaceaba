"""Construction traces on disk, beside the worlds: `DIR/traces/<origin>.json`, one per construction.

They hold every proposal of an author, also for worlds that were refused, and are as hidden as the keys. Those
of the template are not kept: they follow from brief and seed.
"""

from collections.abc import Iterator
from pathlib import Path

from planet.construct import ConstructionTrace
from planet.errors import StorageError
from planet.plain_files import read_bounded
from planet.whole_file import write_whole


def write_trace(folder: Path, origin: str, trace: ConstructionTrace) -> None:
    """Keep a construction under the digest of what it follows from; the same one again replaces it."""
    path = folder / "traces" / f"{origin}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, trace.model_dump_json())


def read_traces(folder: Path) -> Iterator[ConstructionTrace]:
    """The traces of a folder of worlds, in the order of their names; StorageError when one cannot be read."""
    for path in sorted((folder / "traces").glob("*.json")):
        try:
            yield ConstructionTrace.model_validate_json(read_bounded(path))
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise StorageError(f"{path}: cannot be read ({reason}); restore or remove it") from error
