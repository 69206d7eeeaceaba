"""The settings of a slice: one YAML file, checked before anything is done."""

import difflib
import math
import re
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from tpu_scripts.chips import chips, hosts
from tpu_scripts.errors import UseError
from tpu_scripts.places import RunPlace, run_place


@dataclass(frozen=True)
class Settings:
    """One slice. slice.yaml has a line on every field."""

    name: str
    project: str
    zone: str
    accelerator_type: str
    runtime_version: str
    spot: bool = True
    price_per_chip_hour: float | None = None  # None: not told
    repository: str | None = None  # None: not told
    commit: str | None = None  # None: HEAD of this checkout
    directory: str = "closed-loop-curricula"
    python: str = "3.11"
    matmul_precision: str = "highest"  # JAX_DEFAULT_MATMUL_PRECISION of the run
    run_dir: str | None = None  # None: runs/<name>
    shared_dir: str | None = None  # None: workers share no folder, so a run is one host's
    mirror_seconds: float = 300.0
    poll_seconds: float = 30.0
    wait_hours: float = 24.0

    @property
    def run(self) -> RunPlace:
        """Where the run is kept."""
        return run_place(self.run_dir or f"runs/{self.name}")

    @property
    def hosts(self) -> int:
        """Machines that run one run together."""
        return hosts(self.accelerator_type)

    @property
    def shared_run(self) -> str | None:
        """The run directory of a run of several hosts; None: the run is one host's. UseError without a
        folder that all of them see."""
        if self.hosts == 1:
            return None
        if self.shared_dir is None:
            raise UseError(
                f"shared_dir: not set, and {self.accelerator_type} has {self.hosts} hosts that run one run "
                "together; give a folder that all of them see, e.g. --set shared_dir=/mnt/curricula"
            )
        if self.run.bucket is not None:
            raise UseError(
                f"run_dir: {self.run.bucket} takes snapshots of one host's folder, and {self.hosts} hosts "
                "keep the run in shared_dir, which outlives the slice; give runs/NAME"
            )
        return f"{self.shared_dir}/{self.run.local}"


_PATTERNS = {
    "name": (r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?", "lower-case letters, digits and dashes, a letter first"),
    "project": (r"([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]", "a project id such as my-project-123"),
    "zone": (r"[a-z]+(-[a-z]+)+[0-9]+-[a-z]", "a zone such as europe-west4-b"),
    "runtime_version": (r"[a-z0-9][a-z0-9.-]*", "a version such as v2-alpha-tpuv5-lite"),
    "repository": (
        r"(https://[\w.-]+(:[0-9]+)?/|ssh://[\w.@-]+(:[0-9]+)?/|git@[\w.-]+:)[\w./~+-]+",
        "an https, ssh or git@ address without a password",
    ),
    "commit": (r"[0-9a-f]{40}", "all 40 hexadecimal digits of a commit"),
    "directory": (r"[A-Za-z0-9_][\w.-]*", "one folder name"),
    "matmul_precision": (r"default|high|highest", "default, high or highest"),
    "shared_dir": (r"(/[A-Za-z0-9_][\w.-]*)+", "an absolute path such as /mnt/curricula"),
    "python": (r"3\.[0-9]{1,2}", "a version such as 3.11"),
}
"""Field -> (what it must be in full, the same in words). A name that fits cannot be taken for a flag."""
_NUMBERS = ("price_per_chip_hour", "mirror_seconds", "poll_seconds", "wait_hours")


def load(path: Path, sets: Sequence[str] = ()) -> Settings:
    """The settings of a YAML file with `key=value` replacements; UseError when they are not usable."""
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise UseError(f"{path}: {error.strerror}; give the settings with --slice FILE") from None
    except yaml.YAMLError as error:
        raise UseError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(found, dict):
        raise UseError(f"{path}: holds no `key: value` lines; start from tpu_scripts/slice.yaml")
    return checked({**found, **dict(_pair(text) for text in sets)}, str(path))


def checked(values: dict[str, Any], source: str) -> Settings:
    """Settings from plain values; UseError that names the first value that is missing or not allowed."""
    known = {field.name: field for field in fields(Settings)}
    for key in values:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            raise UseError(f"{source}: unknown key {key!r}" + (f"; did you mean {near[0]}?" if near else ""))
    for key, field in known.items():
        if field.default is MISSING and values.get(key) is None:
            raise UseError(f"{key}: not set; write it into {source} or give --set {key}=VALUE")
    settings = Settings(**{key: _value(key, value) for key, value in values.items() if value is not None})
    chips(settings.accelerator_type)
    run_place(settings.run_dir or "runs/x")
    return settings


def _value(key: str, value: Any) -> Any:
    if key == "spot":
        if not isinstance(value, bool):
            raise UseError(f"spot: {value!r} is not allowed; give true or false")
        return value
    if key in _NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise UseError(f"{key}: {value!r} is not allowed; give a number of 0 or more")
        return float(value)
    text = str(value)
    pattern, words = _PATTERNS.get(key, (r"[^\s]+", "a text without spaces"))
    if not re.fullmatch(pattern, text, re.ASCII):
        raise UseError(f"{key}: {text!r} is not allowed; give {words}")
    return text


def _pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals:
        raise UseError(f"--set {text}: give key=value, e.g. --set zone=europe-west4-b")
    try:
        return key, yaml.safe_load(value)
    except yaml.YAMLError:
        return key, value
