"""How a process learns that it is one of several: from its command line, or from its environment."""

import argparse
import re
from collections.abc import Mapping

from pydantic import ValidationError

from loop.errors import ConfigError
from policy.config import ProcessesConfig

VARIABLES = {"processes": "LOOP_PROCESSES", "coordinator": "LOOP_COORDINATOR", "process": "LOOP_PROCESS"}
"""Argument -> the environment variable that stands in for it."""
_ADDRESS = re.compile(r"\S+:[0-9]{1,5}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--processes, --coordinator and --process."""
    group = parser.add_argument_group(
        "several processes", "one run over the devices of several processes or machines (docs/scaling.md)"
    )
    group.add_argument("--processes", metavar="N", help="how many run it together, or LOOP_PROCESSES")
    group.add_argument(
        "--coordinator",
        metavar="HOST:PORT",
        help="where process 0 listens, or LOOP_COORDINATOR; left out where JAX finds it, as on a TPU slice",
    )
    group.add_argument("--process", metavar="I", help="which this one is, from 0, or LOOP_PROCESS; likewise")


def processes_of(given: argparse.Namespace, environment: Mapping[str, str]) -> ProcessesConfig:
    """The processes that were asked for, arguments before variables; ConfigError when they make no sense."""
    texts = {
        name: value
        for name, variable in VARIABLES.items()
        if (value := getattr(given, name) or environment.get(variable)) is not None
    }
    count = _number("processes", texts.get("processes", "1"))
    if count == 1 and texts.keys() - {"processes"}:
        first = sorted(texts.keys() - {"processes"})[0]
        raise ConfigError(
            f"--{first}: given for one process; give --processes N of 2 or more, or leave it out"
        )
    index = _number("process", texts["process"]) if "process" in texts else None
    coordinator = texts.get("coordinator")
    if coordinator is not None and not _ADDRESS.fullmatch(coordinator):
        raise ConfigError(f"--coordinator: {coordinator!r} is no HOST:PORT; give e.g. 10.0.0.1:8476")
    try:
        return ProcessesConfig(count=count, coordinator=coordinator, index=index)
    except ValidationError as error:
        told = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise ConfigError(f"--processes {count} --process {index}: {told}") from None


def _number(name: str, text: str) -> int:
    if not text.isdecimal():
        raise ConfigError(f"--{name}: {text!r} is no whole number; give one, e.g. 2")
    return int(text)
