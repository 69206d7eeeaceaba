"""All samples of one numbered world, each of them carried out before it is given away."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from planet.catalog import load_catalog
from planet.construction.ground import Ground, numbered_ground
from planet.construction.intents import check_intent, intent
from planet.construction.repairs import check_repair, repairs
from planet.construction.rows import check_row_repair, row_repair
from planet.construction.sample import Sample
from planet.construction.whole import check_stage, check_whole, stages, whole
from planet.identity import seed_of
from planet.records.world import Profile
from planet.tasks.grow import grow_tasks


class Wish(NamedTuple):
    """One world to be made samples of."""

    seed: int
    number: int
    profile: Profile
    tasks: int  # audited tasks, for intents
    overlay: Path | None


class Produced(NamedTuple):
    """What one world gave."""

    samples: list[Sample]
    missing: Counter[str]  # what the world did not afford, e.g. "V08", or "world" when there was none
    wrong: list[str]  # samples that did not stand their check, in words; they are left out


def produce(wish: Wish) -> Produced:
    """The samples of one world; equal wishes give equal samples."""
    made = numbered_ground(load_catalog(wish.overlay, wish.profile), wish.seed, wish.number, wish.profile)
    if made is None:
        return Produced([], Counter(world=1), [])
    produced = Produced([], Counter(), [])
    for name, sample, problem in _checked(made, made.seed, wish.tasks):
        if sample is None:
            produced.missing[name] += 1
        elif problem is not None:
            produced.wrong.append(f"{name} of world {made.world.id}: {problem}")
        else:
            produced.samples.append(sample)
    return produced


def _checked(made: Ground, seed: int, tasks: int) -> Iterator[tuple[str, Sample | None, str | None]]:
    """(what, sample, what is wrong with it)."""
    whole_world = whole(made)
    yield "brief_to_world", whole_world, check_whole(whole_world, made)
    for stage in stages(made):
        yield f"stage {stage.link}", stage, check_stage(stage, made)
    for validator, repair, about in repairs(made, seed):
        yield validator, repair, check_repair(repair, about) if repair else None
    rows = row_repair(made, seed)
    yield "V07", rows, check_row_repair(rows, made) if rows else None
    grown = grow_tasks(made.world, made.key, tasks, seed_of(seed, "tasks")).tasks
    for task in grown:
        asked = intent(made, task)
        yield "intent", asked, check_intent(asked, made, task) if asked else None
    yield from (("intent", None, None) for _ in range(tasks - len(grown)))
