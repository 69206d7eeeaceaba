"""The packages of the `weights` extra, imported where they are needed."""

from importlib import import_module
from typing import Any

from policy.errors import WeightsError


def needed(name: str) -> Any:
    """The package, or a WeightsError that says how to get it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.split(".")[0]:
            raise
        raise WeightsError(
            f"published weights need the package {name}; run pip install -e '.[weights]'"
        ) from None
