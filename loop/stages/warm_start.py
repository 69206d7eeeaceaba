"""The warm start: supervised on demonstrations of the foundation worlds; one per seed, shared by all arms."""

from loop.charging import charge
from loop.circle import Circle
from loop.demonstrations import demonstrations, family_weights
from loop.outcome import Outcome
from loop.steps import Step
from loop.warm_start_cache import WarmStartCache


def warm_start(circle: Circle, step: Step) -> Outcome:
    """Take the seed's warm start from the cache, or make it."""
    config = circle.config
    foundation = circle.split("foundation")
    families = sorted({t.key.facets.family for e in foundation for t in e.tasks})
    count = config.policy.warm_start.steps * config.policy.warm_start.batch
    demos = demonstrations(foundation, config.coverage, config.seed, count, circle.sessions)
    cache = WarmStartCache(config, circle.learner, demos)
    metrics = cache.read()
    if metrics is None:
        history, refused = circle.learner.warm_start(demos, lambda number, metrics: circle.advance(1))
        last = history[-10:]
        metrics = {
            "warm_start/demonstrations": float(len(demos)),
            "warm_start/unwritable": float(len(refused)),
            "warm_start/loss": sum(m["loss"] for m in last) / len(last),
            "warm_start/token_accuracy": sum(m["token_accuracy"] for m in last) / len(last),
        }
        cache.write(metrics)
    oracle_calls = sum(len(d.calls) for d in {id(d): d for d in demos}.values())
    return Outcome(
        rows=[charge(config.run_id, step.index, "warm_start", oracle_calls)],
        metrics=metrics,
        detail={"coverage": family_weights(families, config.coverage, config.seed), "key": cache.key},
    )
