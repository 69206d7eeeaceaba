"""A small overlay of the catalog, and the ways to write and to spoil it."""

import copy
from pathlib import Path
from typing import Any

import yaml

from planet.catalog import Catalog, load_catalog

LAB: dict[str, Any] = {
    "kind": "lab",
    "title": "Laboratory",
    "description": "Tests samples.",
    "resources": [
        {
            "name": "sample",
            "prefix": "SAM",
            "description": "Something to test.",
            "label": "name",
            "status": "status",
            "columns": [
                {"name": "name", "type": "text", "pool": "product"},
                {"name": "status", "type": "enum", "values": ["new", "tested"]},
                {"name": "mass", "type": "int", "unit": "grams", "low": 1, "high": 90},
                {"name": "customer_id", "type": "ref", "ref": "customer"},
            ],
        }
    ],
}
ELBONIA = {
    "code": "XE",
    "name": "Elbonia",
    "adjective": "Elbonian",
    "currency": "XEB",
    "locale": "en_XE",
    "time_zones": ["Europe/Berlin"],
    "given": ["Ab"],
    "family": ["Cd"],
    "cities": ["Ef"],
}
BANKING = {
    "name": "banking",
    "title": "Banking",
    "keywords": ["bank"],
    "services": {"finance": 1.0},
    "descriptions": {"forms": ["Lends to {who}."], "parts": {"who": ["farms"]}},
}


def write(folder: Path, files: dict[str, Any]) -> Path:
    """An overlay folder; a file's content is text, bytes, or a value to be written as YAML."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, (str, bytes)):
            content = yaml.safe_dump(content, sort_keys=False)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def overlaid(folder: Path, files: dict[str, Any]) -> Catalog:
    return load_catalog(write(folder, files))


def changed(base: dict[str, Any], *path: str | int, **keys: Any) -> dict[str, Any]:
    """A copy of `base` with keys set in the mapping at `path`; None removes a key."""
    made = copy.deepcopy(base)
    inner: Any = made
    for step in path:
        inner = inner[step]
    inner.update(keys)
    for key in [key for key, value in keys.items() if value is None]:
        del inner[key]
    return made


def lab(**keys: Any) -> dict[str, Any]:
    return {"services/lab.yaml": changed(LAB, **keys)}


def sample(**keys: Any) -> dict[str, Any]:
    return {"services/lab.yaml": changed(LAB, "resources", 0, **keys)}


def column(number: int, **keys: Any) -> dict[str, Any]:
    return {"services/lab.yaml": changed(LAB, "resources", 0, "columns", number, **keys)}
