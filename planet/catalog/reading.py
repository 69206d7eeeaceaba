"""From YAML text to entries. Every third-party failure becomes one CatalogError line here."""

from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from planet.catalog.entries import Country, Industry, ServiceKind
from planet.catalog.nearest import hint
from planet.catalog.phrases import Phrases
from planet.errors import CatalogError
from planet.plain_files import read_bounded
from planet.yaml_text import YamlProblem, parse_yaml

LISTS = ("industries.yaml", "countries.yaml", "pools.yaml")
Model = TypeVar("Model", bound=BaseModel)


class Layer(NamedTuple):
    """The entries of one folder, by kind, name or code, and the file that each came from."""

    services: dict[str, ServiceKind]
    industries: dict[str, Industry]
    countries: dict[str, Country]
    pools: dict[str, Phrases]
    files: dict[str, str]  # "service crm" -> path of its file; likewise industry, country, pool

    def over(self, base: "Layer") -> "Layer":
        """This layer on top of another: entries are added, or replace those of the same key."""
        return Layer(
            base.services | self.services,
            base.industries | self.industries,
            base.countries | self.countries,
            base.pools | self.pools,
            base.files | self.files,
        )


def read_layer(folder: Path, shown: str) -> Layer:
    """Read a catalog folder; every file is optional, a misplaced one an error. `shown` names it in errors."""
    if not folder.is_dir():
        raise CatalogError(
            f"catalog folder {folder} is not a folder; give one that holds services/ or {LISTS[0]}"
        )
    _refuse_strays(folder, shown)
    layer = Layer({}, {}, {}, {}, {})
    for path in sorted(folder.glob("services/*.yaml")):
        _read_service(path, f"{shown}services/{path.name}", layer)
    for entry, where in _entries(folder, "industries.yaml", "name", "industry", shown):
        _put(layer, layer.industries, "industry", entry["name"], parse(Industry, entry, where), where)
    for entry, where in _entries(folder, "countries.yaml", "code", "country", shown):
        _put(layer, layer.countries, "country", entry["code"], parse(Country, entry, where), where)
    if (folder / "pools.yaml").exists():
        where = f"{shown}pools.yaml"
        for name, entry in _mapping(read_yaml(folder / "pools.yaml", where), where).items():
            _put(layer, layer.pools, "pool", str(name), parse(Phrases, entry, f"{where}: pool {name}"), where)
    if not layer.files:
        raise CatalogError(
            f"catalog folder {folder} is empty; it needs services/*.yaml or one of {', '.join(LISTS)}"
        )
    return layer


def read_yaml(path: Path, where: str) -> Any:
    """The content of a YAML file; unreadable text and repeated keys are errors."""
    try:
        return parse_yaml(read_bounded(path).decode())
    except YamlProblem as problem:  # before ValueError, of which it is one
        raise CatalogError(f"{where}: not valid YAML: {problem}") from None
    except (OSError, ValueError) as problem:
        raise CatalogError(f"{where}: cannot be read: {problem}") from None


def parse(model: type[Model], raw: Any, where: str) -> Model:
    """`raw` as a record; the first thing wrong with it becomes one line."""
    try:
        return TypeAdapter(model).validate_python(raw)
    except ValidationError as problem:
        # an unknown key first: a key that seems to be missing may be the one mistyped
        details = min(problem.errors(), key=lambda error: error["type"] != "extra_forbidden")
        raise CatalogError(f"{where}{_place(raw, details['loc'])}: {_wrong(model, details)}") from None


def _refuse_strays(folder: Path, shown: str) -> None:
    for path in sorted(folder.rglob("*.y*ml")):
        inner = path.relative_to(folder).as_posix()
        if inner in LISTS or (path.suffix == ".yaml" and path.parent == folder / "services"):
            continue
        raise CatalogError(
            f"{shown}{inner}: not a catalog file; {hint(inner, (*LISTS, 'services/<kind>.yaml'))}"
        )


def _read_service(path: Path, where: str, layer: Layer) -> None:
    raw = _mapping(read_yaml(path, where), where)
    kind = raw.get("kind")
    if not isinstance(kind, str):
        raise CatalogError(f"{where}: key 'kind' is missing; write kind: {path.stem}")
    if kind != path.stem:
        raise CatalogError(
            f"{where}: kind is '{kind}'; rename the file to {kind}.yaml or write kind: {path.stem}"
        )
    resources = raw.get("resources")
    for entry in resources if isinstance(resources, list) else []:
        if not isinstance(entry, dict):
            continue
        if "service" in entry:
            raise CatalogError(
                f"{where}: resource {entry.get('name')}: unknown key 'service'; the file's kind owns it"
            )
        entry["service"] = kind
    _put(layer, layer.services, "service", kind, parse(ServiceKind, raw, where), where)


def _entries(folder: Path, name: str, key: str, what: str, shown: str) -> list[tuple[dict[str, Any], str]]:
    """Entries of a list file, each with its place for error lines."""
    path, where = folder / name, f"{shown}{name}"
    if not path.exists():
        return []
    raw = read_yaml(path, where)
    if not isinstance(raw, list):
        raise CatalogError(f"{where}: must be a list of entries, each with a {key}, not {_kind(raw)}")
    for number, entry in enumerate(raw, 1):
        if not isinstance(entry, dict) or not isinstance(entry.get(key), str):
            raise CatalogError(f"{where}: entry {number} has no {key} in text; write {key}: ... and quote it")
    return [(entry, f"{where}: {what} {entry[key]}") for entry in raw]


def _put(layer: Layer, into: dict[str, Any], what: str, key: str, record: BaseModel, where: str) -> None:
    if key in into:
        raise CatalogError(f"{where}: {what} '{key}' stands twice; remove one or rename it")
    into[key] = record
    layer.files[f"{what} {key}"] = where.split(": ")[0]


def _mapping(raw: Any, where: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise CatalogError(f"{where}: must be a mapping of keys to values, not {_kind(raw)}")
    return raw


def _kind(raw: Any) -> str:
    return {dict: "a mapping", list: "a list", type(None): "nothing"}.get(type(raw), repr(raw))


def _place(raw: Any, path: tuple[int | str, ...]) -> str:
    """`: resource invoice: column amount`: the keys and named entries on the way to the last step."""
    place = ""
    key: Any
    for key in path[:-1]:
        raw = raw[key] if isinstance(raw, (dict, list)) else None
        if isinstance(key, str):
            place += f": {key.removesuffix('s') if key in ('resources', 'columns') else key}"
        elif isinstance(raw, dict):
            place += f" {raw.get('name', key + 1)}"
    return place


_WANTED = {
    "string_type": "text in quotes",
    "tuple_type": "a list",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "float_type": "a number",
    "float_parsing": "a number",
}
"""What a value should have been, by the type of pydantic's error."""


def _wrong(model: type[BaseModel], details: ErrorDetails) -> str:
    path, kind, seen = details["loc"], details["type"], details["input"]
    key = path[-1] if path else "the entry"
    if kind == "extra_forbidden":
        return f"unknown key '{key}'; {hint(key, _keys(model, path[:-1]))}"
    if kind == "missing":
        return f"key '{key}' is missing; add it"
    if kind == "literal_error":
        return f"{key} {seen!r} is not known; {hint(seen, _literals(details))}"
    if "default" in path:  # a union: the last step of the path is the type tried
        return f"it must be text, a number, true or false, not {seen!r}; change or remove it"
    what = f"entry {key + 1}" if isinstance(key, int) else key
    return f"{what} must be {_WANTED.get(kind, details['msg'])}, not {seen!r}"


def _literals(details: ErrorDetails) -> list[str]:
    return [
        word for word in str(details.get("ctx", {}).get("expected", "")).split("'") if word.isidentifier()
    ]


def _keys(model: type[BaseModel], path: tuple[int | str, ...]) -> set[str]:
    """Keys that the record at `path` inside `model` knows."""
    for step in path:
        if isinstance(step, int):
            continue
        annotation = model.model_fields[step].annotation
        model = next((t for t in (annotation, *get_args(annotation)) if isinstance(t, type)), model)
    return set(model.model_fields) - {"service"}
