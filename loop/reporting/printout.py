"""A configuration as it is printed: whole, where what is recorded leaves out defaults that came later."""

from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from loop.config import Config

ALGORITHMS = ("grpo", "sao")
"""Branches of `policy`, of which the one that `policy.algorithm` names is in use."""


def printed(config: Config) -> dict[str, Any]:
    """Every key with its value, but for the algorithms that are not in use; loads as what it is printed of,
    unless something was set for one of those."""
    tree = _whole(config)
    unused = {name for name in ALGORITHMS if name != config.policy.algorithm}
    tree["policy"] = {key: value for key, value in tree["policy"].items() if key not in unused}
    return tree


def _whole(model: BaseModel) -> dict[str, Any]:
    values = {name: getattr(model, name) for name in type(model).model_fields} | (model.model_extra or {})
    return {
        name: _whole(value) if isinstance(value, BaseModel) else to_jsonable_python(value)
        for name, value in values.items()
    }
