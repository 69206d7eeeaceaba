"""The worlds of all splits: they follow from the seed, and are hashed into the ledger before any update.

A run that starts from the final pool of another one has the worlds that grew there from here on.
"""

from loop.circle import Circle
from loop.episodes.recording import environment_rows
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step
from loop.worlds.asked import author_call_rows
from loop.worlds.final_pool import SOURCE, grown_of_source, source_of
from loop.worlds.pool import Pool
from loop.worlds.splits import splits_of
from loop.worlds.store import write_environments, write_splits


def worlds(circle: Circle, step: Step) -> Outcome:
    """Build the splits, write them into the run directory, and record every world, task and author call."""
    config = circle.config
    splits = splits_of(config, circle.catalog, circle.author, circle.advance)
    write_splits(circle.directory.worlds, splits)
    circle.splits = splits
    circle.pool = Pool()
    circle.pool.add(splits.of("train"))
    grown = grown_of_source(config, splits) if config.final_pool is not None else []
    write_environments(circle.directory.worlds, grown)
    circle.pool.add(grown)
    outcome = Outcome(rows=environment_rows(config.run_id, step.index, [*splits.environments, *grown]))
    for brief, calls in splits.calls.items():
        outcome.rows += author_call_rows(config.run_id, step.index, brief, calls)
    outcome.detail = {
        "splits_digest": splits.digest,
        "reserved_pairs": sorted(list(pair) for pair in splits.reserved.pairs),
        "unseen_industry": splits.reserved.industry,
        "catalog_digest": circle.catalog.digest,
    }
    if config.final_pool is not None:
        outcome.detail[SOURCE] = source_of(config)[1].run_id
    outcome.metrics = {
        "pool/worlds": float(len(circle.pool)),
        "pool/tasks": float(len(circle.pool.listed)),
        "worlds/audit_steps": float(splits.audit_steps),
    }
    return outcome
