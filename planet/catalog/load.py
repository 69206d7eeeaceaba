"""Loading the catalog: the shipped folder, and an overlay that adds or replaces entries."""

from functools import cache
from pathlib import Path

from planet.catalog.catalog import Catalog
from planet.catalog.checks import check_catalog
from planet.catalog.reading import Layer, read_layer

SHIPPED = Path(__file__).parent


def load_catalog(overlay: Path | None = None) -> Catalog:
    """The shipped catalog, with the entries of the folder `overlay` added or replacing those of equal key.

    An overlay has the layout of the shipped folder, every file optional. CatalogError names file, entry,
    value and the nearest valid name. Without an overlay the catalog is read once per process.
    """
    return (
        _shipped() if overlay is None else _checked(read_layer(overlay, f"{overlay}/").over(_shipped_layer()))
    )


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
