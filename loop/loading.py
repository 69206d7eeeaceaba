"""From a YAML file and `key=value` overrides to a `Config`, or one line that says what is wrong.

`extends: other.yaml` (relative to the file) lets a file say only what differs; mappings are merged key by
key, except that a plug-in with a new `type` replaces the old one, whose parameters would mean nothing to it,
and that the `preset` of a decoder replaces its shape. Short forms are written out before anything is merged,
so a name, `sampler: sfl` or `decoder: small`, and keys below it may come in any files and any order.
"""

from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from loop.config import Config
from loop.errors import ConfigError
from loop.plugins import Plugin, locate, nearest
from planet.plain_files import read_bounded
from planet.yaml_text import YamlProblem, parse_yaml
from policy.config import PRESETS, DecoderConfig
from policy.errors import PolicyError

Tree = dict[str, Any]
LARGEST = 2**53
"""Of any number of a configuration: beyond it, databases and floats do not hold whole numbers exactly."""
SHAPE = frozenset(DecoderConfig.model_fields) - {"remat", "compute"}
"""Keys of a decoder that a preset gives; the others say how it is trained, and outlive a new preset."""


def load(path: Path, overrides: tuple[str, ...] = (), changes: tuple[Tree, ...] = ()) -> Config:
    """The configuration of a YAML file with `key=value` overrides; ConfigError with one line otherwise.

    `changes` are laid over the file first, one after the other: what a sweep says of its arms.
    """
    tree = read_tree(path, overrides, changes)
    return build(tree, str(path))


def read_tree(path: Path, overrides: tuple[str, ...] = (), changes: tuple[Tree, ...] = ()) -> Tree:
    """The tree of a YAML file, with changes and then `key=value` overrides laid over it, unchecked."""
    tree = _read(path, seen=())
    for change in changes:
        tree = merge(tree, _written_out(change, Config))
    given: Tree = {}
    for text in overrides:  # with each other first: parameters may precede the type that they are of
        given = merge(given, _written_out(_override(text), Config))
    return merge(tree, given)


def build(tree: Tree, source: str) -> Config:
    """A configuration from a plain tree; `source` names it in messages."""
    tree = _with_weights(_with_preset(tree, source), source)
    check_keys(tree, Config, source)
    try:
        config = Config.model_validate(tree)
    except ValidationError as error:
        raise ConfigError(f"{source}: {first_line(error)}") from None
    for role, where, plugin in config.plugins():
        locate(role, plugin, f"{source}: {where}")
    return config


def merge(base: Tree, change: Tree) -> Tree:
    """`base` with `change` laid over it, both without short forms.

    Another `type` takes the place of the old one with its parameters; those without a type waited for one.
    A `preset` names a whole shape, so of the old decoder it leaves what is no shape.
    """
    if "type" in change and base.get("type", change["type"]) != change["type"]:
        return dict(change)
    merged = {key: old for key, old in base.items() if "preset" not in change or key not in SHAPE}
    for key, value in change.items():
        old = merged.get(key)
        merged[key] = merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _written_out(tree: Tree, model: type[BaseModel]) -> Tree:
    """The tree with short forms as the mappings that they stand for: names of plug-ins and of a preset."""
    found = {}
    for key, value in tree.items():
        field = model.model_fields.get(str(key))
        inner = None if field is None else _model_of(field.annotation)
        if key == "overrides" and field is None:  # a sweep's, for all of its arms
            inner = Config
        if field is not None and isinstance(value, str):
            name = _named_by(field.annotation)
            value = value if name is None else {name: value}
        elif inner is not None and isinstance(value, dict):
            value = _written_out(value, inner)
        found[key] = value
    return found


def _named_by(annotation: Any) -> str | None:
    """The key that a word in the place of a field's mapping is short for; None when it is for none."""
    models = [each for each in (annotation, *get_args(annotation)) if isinstance(each, type)]
    if any(issubclass(each, Plugin) for each in models):
        return "type"
    return "preset" if any(issubclass(each, DecoderConfig) for each in models) else None


def _with_preset(tree: Tree, source: str) -> Tree:
    """The tree with the name of a decoder preset replaced by its numbers.

    `policy: {decoder: tiny}`, or `policy: {decoder: {preset: tiny, layers: 4}}` to change some of them.
    """
    policy = tree.get("policy")
    decoder = policy.get("decoder") if isinstance(policy, dict) else None
    changes = dict(decoder) if isinstance(decoder, dict) else {"preset": decoder}
    name = changes.pop("preset", None)
    if not isinstance(policy, dict) or name is None:
        return tree
    if not isinstance(name, str) or name not in PRESETS:
        raise ConfigError(
            f"{source}: policy.decoder: unknown preset {shortened(repr(name))}; "
            f"{nearest(str(name), list(PRESETS))}"
        )
    return {**tree, "policy": {**policy, "decoder": {**PRESETS[name].model_dump(), **changes}}}


def _with_weights(tree: Tree, source: str) -> Tree:
    """The tree with the decoder's shape read from `policy.weights`, if there are any."""
    policy = tree.get("policy")
    path = policy.get("weights") if isinstance(policy, dict) else None
    if not isinstance(policy, dict) or not isinstance(path, str):
        return tree
    from policy.weights.source import open_source

    try:
        shape = open_source(path).config.model_dump()
    except PolicyError as error:
        raise ConfigError(f"{source}: policy.weights: {error}") from error
    given = policy.get("decoder") or {}
    for key in shape.keys() & given.keys() if isinstance(given, dict) else ():
        if given[key] != shape[key]:
            raise ConfigError(
                f"{source}: policy.decoder.{key}={given[key]!r} is not that of the weights, {shape[key]!r}; "
                f"leave it out"
            )
    return {**tree, "policy": {**policy, "decoder": {**shape, **given} if isinstance(given, dict) else given}}


def _read(path: Path, seen: tuple[Path, ...]) -> Tree:
    try:
        if path.resolve() in seen:
            raise ConfigError(f"{path}: extends itself through {seen[-1].name}; remove one `extends`")
        tree = parse_yaml(read_bounded(path).decode("utf-8-sig"))
    except YamlProblem as error:
        raise ConfigError(_no_yaml(path, error)) from error
    except (OSError, ValueError, RuntimeError) as error:  # a name with a zero byte, a circle of links
        reason = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else _reason(error)
        raise ConfigError(
            f"{shortened(path)}: cannot be read ({reason}); give a readable YAML file"
        ) from error
    if tree is None:
        tree = {}
    if not isinstance(tree, dict):
        raise ConfigError(
            f"{path}: holds a {type(tree).__name__}, but a configuration is a mapping `key: value`"
        )
    parent = tree.pop("extends", None)
    tree = _written_out(tree, Config)
    if parent is None:
        return tree
    if not isinstance(parent, str):
        raise ConfigError(
            f"{path}: extends: {parent!r} is not a file name; give one, e.g. `extends: main.yaml`"
        )
    return merge(_read(path.parent / parent, (*seen, path.resolve())), tree)


def _no_yaml(path: Path, error: YamlProblem) -> str:
    if error.at:
        return f"{path}: not valid YAML{error.at} ({error}); mappings are `key: value` lines"
    return f"{path}: not valid YAML: {error}"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def shortened(value: Any, most: int = 120) -> str:
    """A value as text that fits into a line."""
    text = str(value)
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"


def _override(text: str) -> Tree:
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise ConfigError(
            f"override {shortened(text)!r} is not of the form key=value, e.g. seed=1 or growth.quota=4"
        )
    try:
        parsed = parse_yaml(value)
    except YamlProblem as error:
        raise ConfigError(f"override {shortened(text)!r}: the value is not valid YAML; quote it") from error
    parts = key.strip().split(".")
    if len(parts) > 20:
        raise ConfigError(f"override {shortened(text)!r}: no key lies {len(parts)} deep; shorten it")
    for part in reversed(parts):
        parsed = {part: parsed}
    return parsed


def check_keys(tree: Tree, model: type[BaseModel], source: str, prefix: str = "") -> None:
    """ConfigError for the first key that no field is called by, with the nearest that is."""
    for key, value in tree.items():
        where = f"{prefix}{key}"
        field = model.model_fields.get(str(key))
        if field is None:
            hint = nearest(str(key), list(model.model_fields))
            raise ConfigError(f"{source}: unknown key {shortened(where)!r}; {hint}")
        _check_number(value, field.annotation, f"{source}: {where}")
        inner = _model_of(field.annotation)
        if inner is not None and isinstance(value, dict):
            check_keys(value, inner, source, f"{where}.")


def _check_number(value: Any, annotation: Any, where: str) -> None:
    """ConfigError for `yes` where a number belongs, which would be a 1, and for a number beyond measure."""
    allowed = (annotation, *get_args(annotation))
    if isinstance(value, list) and get_origin(annotation) is tuple:
        for index, item in enumerate(value):
            _check_number(item, allowed[1], f"{where}.{index}")
    if bool in allowed or not (int in allowed or float in allowed):
        return
    if isinstance(value, bool):
        raise ConfigError(f"{where}: {value} is not allowed; give a number")
    if isinstance(value, int) and abs(value) > LARGEST:
        raise ConfigError(f"{where}: {shortened(value, 20)} is not allowed; give at most {LARGEST:,}")


def _model_of(annotation: Any) -> type[BaseModel] | None:
    """The model whose keys a field's mapping has; None for plug-ins and scalars."""
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return None if issubclass(candidate, Plugin) else candidate
    return None


def first_line(error: ValidationError) -> str:
    """The first problem of a validation as one line with the key, the value seen and what is allowed."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ").replace("Input should be", "it should be")
    message = message.replace("Input is not a valid path for <class 'pathlib.Path'>", "it should be a path")
    if first["type"] == "missing":
        return f"{where} is missing; add it"
    if first["type"] == "value_error":
        return f"{where}: {message}" if where else message
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{where}: {shortened(repr(first['input']))} is not allowed; {message}{more}"
