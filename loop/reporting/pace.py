"""What steps of a run will take, guessed from its configuration before anything was measured.

Measured on two CPU cores, with the tiny decoder and the main job, whose runs take 3 min 45 s to 4 min 6 s
(experiments/LOG.md): 23 s for worlds, 37 s for the warm start, 135 s for updates, 31 s for other play, 16 s
for grown worlds. What a decoder computes is taken to grow with its parameters.
"""

from loop.config import Config
from loop.resuming.steps import Kind
from policy.config import DecoderConfig, MeshConfig
from policy.memory_plan import parameter_values

WORLD, GROWN = 0.045, 0.11
"""Seconds of a world of the splits, and of one that is grown, with its tries."""
EPISODE, WORDS = 0.0075, 0.006
"""Seconds of an episode: its tools, grades and records, and what the tiny decoder reads and says."""
LEARNED = 0.0025
"""Seconds in which the tiny decoder learns from an episode."""
COMPILED, SHOWN = 5.0, 0.00625
"""Seconds before the first step of a warm start, and of a demonstration that the tiny decoder is shown."""
FARTHEST = 20.0
"""Times the tiny decoder's parameters beyond which nothing is guessed: those are for other machines."""


def size(config: Config) -> float:
    """Parameters of the decoder, as times those of the tiny one; 1.0 where another learner plays."""
    if not config.learner.is_built_in("learner", "decoder"):
        return 1.0
    one = MeshConfig()
    return parameter_values(config.policy.decoder, one) / parameter_values(DecoderConfig(), one)


def guesses(config: Config) -> dict[Kind, float] | None:
    """Seconds of each kind of step on two CPU cores; None for a decoder far larger than any measured one."""
    sizes, settings, large = config.splits, config.evaluation, size(config)
    if large > FARTHEST:
        return None
    tests = sizes.tests
    worlds = sizes.foundation + sizes.train + sizes.diagnose + sizes.validation + tests
    shown = config.policy.warm_start.steps * config.policy.warm_start.batch
    played = (EPISODE + WORDS * large) * config.tasks_per_world  # a rollout of all tasks of a world
    further = config.curriculum.further_probes * config.iterations / (config.iterations + 1)  # not the last
    probes = settings.diagnose_rollouts * (1 + further)
    return {
        "worlds": WORLD * worlds,
        "warm_start": COMPILED + SHOWN * shown * large,
        "diagnose": played * sizes.diagnose * probes,
        "grow": GROWN * config.growth.quota if config.curriculum.grows else 0.0,
        "update": _update(config, large),
        "validate": played * sizes.validation * settings.validate_rollouts,
        "test": played * tests * (settings.test_rollouts + 1),
    }


def _update(config: Config, large: float) -> float:
    """Seconds of an update, with as many groups played again as in the main job."""
    sao = config.policy.algorithm == "sao"
    passes = 2 + config.policy.sao.critic.passes if sao else 1  # the critic judges, then learns
    each = EPISODE + (WORDS + LEARNED * passes) * large
    return each * config.prompts_per_update * config.group_size
