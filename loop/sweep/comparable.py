"""Arms of one seed may differ in their curriculum alone: everything else has to be shared."""

from collections.abc import Sequence

from loop.config import Config
from loop.errors import ConfigError

SHARED = (
    "experiment", "seed", "iterations", "updates_per_iteration", "prompts_per_update", "unheard_prompts",
    "tasks_per_world", "splits", "tail", "demonstrations", "policy", "coverage", "learner", "author",
    "evaluation", "catalog", "asynchronous",
)  # fmt: skip
"""Keys in which arms may not differ."""


def require_comparable(configs: Sequence[Config]) -> None:
    """ConfigError unless arms are called differently and share everything but their curricula."""
    first = configs[0]
    for other in configs[1:]:
        for key in SHARED:
            if getattr(other, key) != getattr(first, key):
                raise ConfigError(
                    f"{key}: {first.arm} and {other.arm} differ, so not their curricula alone would be "
                    "compared; give all arms the same"
                )
    arms = [config.arm for config in configs]
    for arm in arms:
        if arms.count(arm) > 1:
            raise ConfigError(f"arm: {arm!r} is given twice; call each arm differently")
