"""The splits of a seed: foundation, train, diagnose, validate and test, disjoint by world.

They follow from the seed, the sizes, the families of training worlds, the catalog and the author alone, so
all arms of a seed share them, and runs of one process make them once; their digest goes into the ledger
before the first update.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from loop.config import Config
from loop.errors import RunError
from loop.learning.coverage import family_weights
from loop.worlds.admission import held_out
from loop.worlds.generator import (
    Reserved,
    pairs_in,
    reserve,
    reserved_scenario,
    scenario,
    unseen_scenario,
)
from loop.worlds.pool import Environment, Origin
from loop.worlds.synthesis import AuthorCall, synthesized
from planet.catalog import Catalog
from planet.identity import digest, seed_of
from planet.records.world import Brief, World
from planet.tasks.families import FAMILIES

ATTEMPTS = 40
"""Syntheses per wanted world before a split is given up."""


@dataclass
class Splits:
    """All worlds that exist before the first update."""

    reserved: Reserved
    environments: list[Environment] = field(default_factory=list)
    audit_steps: int = 0  # calls that audits executed; shared by the arms, so not charged to any
    calls: dict[str, list[AuthorCall]] = field(default_factory=dict)  # of the author, by place; not stored

    def of(self, origin: Origin) -> list[Environment]:
        """The environments of one split."""
        return [e for e in self.environments if e.origin == origin]

    @property
    def world_ids(self) -> set[str]:
        """Ids of all worlds."""
        return {e.world.id for e in self.environments}

    @property
    def digest(self) -> str:
        """Identity of which task is where."""
        return digest([[e.origin, e.world.id, [t.id for t in e.tasks]] for e in self.environments])


@dataclass(frozen=True)
class _Place:
    """One world to be made."""

    origin: Origin
    number: int  # within its group
    group: str  # names its random streams; "test_reserved" and "test_unseen" are groups of test
    brief: Callable[..., Brief]

    @property
    def name(self) -> str:
        """As the ledger calls its brief, e.g. "test_unseen/002"."""
        return f"{self.group}/{self.number:03d}"


def places(config: Config) -> list[_Place]:
    """The worlds that the splits need, in the order in which they are made."""
    sizes = config.splits
    groups: list[tuple[Origin, str, int, Callable[..., Brief]]] = [
        ("foundation", "foundation", sizes.foundation, scenario),
        ("train", "train", sizes.train, scenario),
        ("diagnose", "diagnose", sizes.diagnose, scenario),
        ("validate", "validate", sizes.validation, scenario),
        ("test", "test", sizes.test, scenario),
        ("test", "test_reserved", sizes.test_reserved if sizes.reserved_pairs else 0, reserved_scenario),
        ("test", "test_unseen", sizes.test_unseen, unseen_scenario),
    ]
    return [_Place(origin, n, group, brief) for origin, group, count, brief in groups for n in range(count)]


_newest: dict[str, Splits] = {}  # those made last in this process, by what they follow from


def splits_of(
    config: Config, catalog: Catalog, author: Any, done: Callable[[int], None] = lambda count: None
) -> Splits:
    """The splits of a configuration, made anew unless the run before in this process had the same ones."""
    key = _identity(config, catalog)
    if key in _newest:
        done(len(_newest[key].environments))
    else:
        made = build_splits(config, catalog, author, done)
        _newest.clear()
        _newest[key] = made
    return _newest[key]


def _identity(config: Config, catalog: Catalog) -> str:
    """Of all that the worlds of the splits follow from."""
    keys = ("seed", "splits", "tasks_per_world", "coverage", "tail", "author")
    tree = config.model_dump(mode="json", include=set(keys))
    return digest({**tree, "catalog_digest": catalog.digest})


def build_splits(
    config: Config, catalog: Catalog, author: Any, done: Callable[[int], None] = lambda count: None
) -> Splits:
    """Make every world of every split; RunError when one cannot be made, or its author cannot go on.

    `done` hears of each world.
    """
    sizes = config.splits
    splits = Splits(reserve(catalog, config.seed, sizes.reserved_pairs, industry=sizes.test_unseen > 0))
    for place in places(config):
        splits.environments.append(_make(place, splits, config, catalog, author))
        done(1)
    return splits


def _make(place: _Place, splits: Splits, config: Config, catalog: Catalog, author: Any) -> Environment:
    """The first synthesis for a place that its split may hold."""
    existing = splits.world_ids
    refused: Counter[str] = Counter()  # rule -> tries in which it refused something
    for attempt in range(ATTEMPTS):
        names = (*_salted(config, place), place.number, attempt)
        brief = place.brief(catalog, splits.reserved, *names).replace(families=_families(place, config))
        made = synthesized(
            brief,
            author,
            catalog,
            seed_of("split", *names),
            config.tasks_per_world,
            unfit=lambda world: _broken(world, place, splits.reserved, existing),
        )
        splits.audit_steps += made.audit_steps
        splits.calls.setdefault(place.name, []).extend(made.calls)
        if made.stopped is not None:
            raise RunError(f"split {place.origin}, world {len(existing) + 1}: {made.stopped}")
        if made.world is not None and made.key is not None:
            return Environment(made.world, made.key, made.tasks, place.origin)
        refused.update(made.refused.keys())
    reasons = ", ".join(f"{rule} {count}" for rule, count in refused.most_common())
    raise RunError(
        f"split {place.origin}: no world in {ATTEMPTS} tries ({reasons}); "
        "ask for fewer worlds or reserved pairs, or add services to the catalog"
    )


def _salted(config: Config, place: _Place) -> tuple[int | str, ...]:
    """The stream of a group of worlds: that of its seed, and for test worlds of the salt if there is one."""
    salt = config.splits.test_salt if place.origin == "test" else ""
    return (config.seed, f"{place.group}/{salt}" if salt else place.group)


def _families(place: _Place, config: Config) -> dict[str, float]:
    """Weights of task families: those of the warm start, those of the training generator, or all equal."""
    if place.origin == "foundation":
        return family_weights(sorted(FAMILIES), config.coverage, config.seed)
    return training_families(config) if place.origin == "train" else {}


def training_families(config: Config) -> dict[str, float]:
    """Weights of task families in training worlds: a long tail, as businesses have; empty: all equal."""
    if config.tail.exponent == 0 and not config.tail.without:
        return {}
    return family_weights(sorted(FAMILIES), config.tail, config.seed, of="tail")


def _broken(world: World, place: _Place, reserved: Reserved, existing: set[str]) -> list[str]:
    """Rules that keep a world out of its split, whatever its tasks are."""
    broken = ["equal_world"] if world.id in existing else []
    if place.group == "test_reserved":
        return broken if pairs_in(world) & reserved.pairs else [*broken, "reserved_pair"]
    if place.group == "test_unseen":
        return broken
    return broken + held_out(world, reserved)
