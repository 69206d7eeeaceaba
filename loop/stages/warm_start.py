"""The warm start: supervised on demonstrations of the foundation worlds; one per seed, shared by all arms."""

from loop.circle import Circle
from loop.episodes.charging import charge
from loop.learning.cache import WarmStartCache
from loop.learning.demonstrations import Demonstrator
from loop.plugins import make
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step


def warm_start(circle: Circle, step: Step) -> Outcome:
    """Take the seed's warm start from the cache, or make it."""
    config = circle.config
    if config.policy.weights is not None:
        return _adopted(circle, step)
    foundation = circle.split("foundation")
    count = config.policy.warm_start.steps * config.policy.warm_start.batch
    demonstrator: Demonstrator = make(
        "demonstrator", config.demonstrations, "demonstrations", config=config.policy, seed=config.seed
    )
    made = demonstrator.demonstrate(foundation, config.coverage, config.seed, count, circle.sessions)
    demos = made.shown
    cache = WarmStartCache(config, circle.learner, demos)
    metrics = cache.read()
    if metrics is None:
        with circle.stopwatch.span("updates"):
            learned = circle.learner.warm_start(demos, circle.advance)
        metrics = {f"warm_start/{name}": value for name, value in learned.items()}
        metrics["warm_start/demonstrations"] = float(len(demos))
        cache.write(metrics, alone=circle.crew.count == 1)
    return Outcome(
        rows=[charge(config.run_id, step.index, "warm_start", made.steps)],
        metrics=metrics,
        detail={"coverage": made.coverage, "key": cache.key},
    )


def _adopted(circle: Circle, step: Step) -> Outcome:
    """Published weights as they are: nothing is shown, and nothing is charged."""
    circle.learner.warm_start((), circle.advance)
    return Outcome(
        rows=[charge(circle.config.run_id, step.index, "warm_start", 0)],
        metrics={"warm_start/demonstrations": 0.0},
        detail={"key": circle.learner.fingerprint()},
    )
