"""The parts of a curriculum, made from a configuration: that tells what is wrong with their parameters."""

from typing import Any

from loop.config import Config, Curriculum
from loop.errors import ConfigError
from loop.plugins import make

ROLES = ("sampler", "gate", "transform", "allocation")
"""Parts beside the grower, which gets the allocation rule."""


def curriculum(config: Config) -> dict[str, Any]:
    """Sampler, gate, transform and grower; the grower gets the allocation rule if it takes one.

    ConfigError for a part that cannot be made.
    """
    made = {role: make(role, plugin, where) for role, where, plugin in config.plugins() if role in ROLES}
    grower = config.curriculum.grower
    made["grower"] = make("grower", grower, "curriculum.grower", allocation=made.pop("allocation"))
    report = config.curriculum.report
    if not made["grower"].reads_report and report != Curriculum().report:
        raise ConfigError(
            f"curriculum.report: {report.type} has no effect, as grower {grower.type} reads no report; leave "
            "it out, or choose a grower that does"
        )
    return made
