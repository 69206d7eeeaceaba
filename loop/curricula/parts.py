"""The parts of a curriculum, made from a configuration: that tells what is wrong with their parameters."""

from typing import Any

from loop.config import Config, Curriculum
from loop.curricula.protocols import Allocation, Gate, Grower, ReportTransform, Sampler
from loop.errors import ConfigError
from loop.plugins import Plugin, make

PROTOCOLS: dict[str, type] = {
    "sampler": Sampler,
    "gate": Gate,
    "transform": ReportTransform,
    "allocation": Allocation,
    "grower": Grower,
}
"""What each part has to be able to do."""
ROLES = ("sampler", "gate", "transform", "allocation")
"""Parts beside the grower, which gets the allocation rule."""


def curriculum(config: Config) -> dict[str, Any]:
    """Sampler, gate, transform and grower; the grower gets the allocation rule if it takes one.

    ConfigError for a part that cannot be made.
    """
    made = {
        role: _whole(role, plugin, where, make(role, plugin, where))
        for role, where, plugin in config.plugins()
        if role in ROLES
    }
    grower, where = config.curriculum.grower, "curriculum.grower"
    own = make("grower", grower, where, allocation=made.pop("allocation"))
    made["grower"] = _whole("grower", grower, where, own)
    report = config.curriculum.report
    if not made["grower"].reads_report and report != Curriculum().report:
        raise ConfigError(
            f"curriculum.report: {report.type} has no effect, as grower {grower.type} reads no report; leave "
            "it out, or choose a grower that does"
        )
    return made


def _whole(role: str, plugin: Plugin, where: str, part: Any) -> Any:
    """The part; ConfigError when it lacks what the circle will ask of it."""
    wanted = {
        name
        for protocol in PROTOCOLS[role].__mro__
        for name in (*vars(protocol), *getattr(protocol, "__annotations__", {}))
        if not name.startswith("_")
    }
    if lacking := sorted(name for name in wanted if not hasattr(part, name)):
        raise ConfigError(
            f"{where}: {plugin.type!r} is no {role}: it lacks {', '.join(lacking)}; add them "
            "(loop.curricula.protocols says what each does)"
        )
    return part
