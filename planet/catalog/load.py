"""Loading the catalog: the shipped folder, and an overlay that adds or replaces entries."""

from functools import cache, lru_cache
from pathlib import Path

from planet.catalog.catalog import Catalog
from planet.catalog.checks import check_catalog
from planet.catalog.reading import Layer, read_layer
from planet.records.world import Profile

SHIPPED = Path(__file__).parent


def load_catalog(overlay: Path | None = None, profile: Profile = "compact") -> Catalog:
    """The shipped catalog, with the entries of the folder `overlay` added or replacing those of equal key.

    `profile`: compact worlds are made of the core alone, library worlds of everything. An overlay has the
    layout of the shipped folder, every file optional. CatalogError names file, entry, value and the nearest
    valid name. A folder is read once per process.
    """
    whole = _shipped() if overlay is None else _overlaid(overlay.absolute(), f"{overlay}/", _stamp(overlay))
    return whole.of(profile)


def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Names, sizes and times of the files of an overlay: when they change it is read again."""
    paths = sorted(folder.rglob("*.y*ml")) if folder.is_dir() else []
    return tuple((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in paths)


@lru_cache(maxsize=4)
def _overlaid(folder: Path, shown: str, stamp: tuple[tuple[str, int, int], ...]) -> Catalog:
    return _checked(read_layer(folder, shown).over(_shipped_layer()))


@cache
def _shipped() -> Catalog:
    return _checked(_shipped_layer())


@cache
def _shipped_layer() -> Layer:
    return read_layer(SHIPPED, "")


def _checked(layer: Layer) -> Catalog:
    catalog = Catalog(
        services=tuple(layer.services[kind] for kind in sorted(layer.services)),
        industries=tuple(layer.industries[name] for name in sorted(layer.industries)),
        countries=tuple(layer.countries[code] for code in sorted(layer.countries)),
        pools=dict(sorted(layer.pools.items())),
    )
    check_catalog(catalog, layer.files)
    return catalog
