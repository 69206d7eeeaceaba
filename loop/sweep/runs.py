"""From a sweep's configuration to its runs: one per arm and seed, in the order in which a seed does them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from analysis.contrasts.measures import MEASURES
from loop.config import Config
from loop.curricula.parts import curriculum
from loop.errors import ConfigError
from loop.loading import build, check_keys, first_line, merge, read_tree
from loop.plugins import nearest
from loop.sweep.comparable import require_comparable
from loop.sweep.config import Arm, StartFrom, SweepConfig

Tree = dict[str, Any]


@dataclass(frozen=True)
class SweepArm:
    """An arm as the sweep runs it, at no particular seed."""

    name: str
    tree: Tree  # the configuration without seed, plan and charged budget, unchecked
    config: Config  # the same as a configuration, at the arm's first seed
    seeds: tuple[int, ...]
    start_from: StartFrom | None

    def at(self, seed: int, *changes: Tree) -> Config:
        """Its configuration at a seed, with changes laid over it."""
        tree = merge(self.tree, {"seed": seed})
        for change in changes:
            tree = merge(tree, change)
        return build(tree, f"arm {self.name}")


@dataclass(frozen=True)
class Sweep:
    """A checked sweep: its configuration, and its arms in the order in which a seed runs them."""

    config: SweepConfig
    arms: tuple[SweepArm, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """All seeds, in the order of the configuration."""
        return tuple(dict.fromkeys(seed for arm in self.arms for seed in arm.seeds))

    def of(self, seed: int) -> list[SweepArm]:
        """The arms that run at a seed, in their order."""
        return [arm for arm in self.arms if seed in arm.seeds]

    def matched(self, arm: SweepArm) -> str | None:
        """The arm whose charged steps this one may spend; None: it is matched to none."""
        matched = self.config.budget.matched
        return None if matched == arm.name else matched


def read_sweep(path: Path, overrides: tuple[str, ...] = ()) -> Sweep:
    """The sweep of a YAML file with `key=value` overrides; ConfigError with one line when it cannot run."""
    tree = read_tree(path, overrides)
    check_keys(tree, SweepConfig, str(path))
    try:
        config = SweepConfig.model_validate(tree)
    except ValidationError as error:
        raise ConfigError(f"{path}: {first_line(error)}") from None
    arms = tuple(_arm(arm, config, path.parent) for arm in config.arms)
    for arm in arms:
        _require_parts(arm)
    require_comparable([arm.at(0) for arm in arms])
    _check_names(config, arms, str(path))
    _check_updates(config, arms, str(path))
    return Sweep(config, tuple(_in_order(config, arms, str(path))))


def nested(key: str, value: Any) -> Tree:
    """A tree with one value, under a dotted key."""
    for part in reversed(key.split(".")):
        value = {part: value}
    return dict(value)


def _require_parts(arm: SweepArm) -> None:
    """ConfigError when an arm could not begin once its turn came, for its curriculum or for what it starts
    from."""
    if arm.start_from is not None:
        arm.at(arm.seeds[0], nested(arm.start_from.key, "."))
    try:
        curriculum(arm.config)
    except ConfigError as error:
        raise ConfigError(f"arm {arm.name}: {error}") from error


def _arm(arm: Arm, config: SweepConfig, folder: Path) -> SweepArm:
    file = folder / arm.config
    tree = read_tree(file, changes=(config.overrides, arm.overrides))
    shared: Tree = {"experiment": config.name}
    for key, its_key, value in _said_once(config):
        _require_none_or_equal(tree, key, its_key, value, str(file))
        shared = merge(shared, nested(key, value))
    tree = merge(tree, shared)
    made = build(merge(tree, {"seed": config.seeds_of(arm)[0]}), str(file))
    return SweepArm(made.arm, tree, made, config.seeds_of(arm), arm.start_from)


def _said_once(config: SweepConfig) -> list[tuple[str, str, Any]]:
    """(key of a run, key of the sweep, value) of what a sweep says for all of its arms."""
    charged, further = config.budget.charged_steps, config.budget.further_updates
    said: list[tuple[str, str, Any]] = [
        ("splits.test_salt", "test_salt", config.test_salt),
        ("budget.further_updates", "budget.further_updates", further),
    ]
    if isinstance(charged, int):
        said.append(("budget.charged_steps", "budget.charged_steps", charged))
    return said


def _require_none_or_equal(tree: Tree, key: str, its_key: str, value: Any, source: str) -> None:
    """ConfigError when an arm, by its file or by overrides, says something else than the sweep."""
    section, _, name = key.partition(".")
    own = tree.get(section)
    if isinstance(own, dict) and name in own and own[name] != value:
        raise ConfigError(
            f"{source}: {key}: {own[name]!r} is not the sweep's {its_key}: {value!r}, which all arms get; "
            "give it there, or leave it out of the arm and of overrides"
        )


def _check_names(config: SweepConfig, arms: Sequence[SweepArm], source: str) -> None:
    """ConfigError when something names an arm that the sweep lacks, or a measure that there is not."""
    known = [measure.name for measure in MEASURES]
    for metric in config.metrics:
        if metric not in known:
            raise ConfigError(f"{source}: metrics: no measure {metric!r}; {nearest(metric, known)}")
    names = [arm.name for arm in arms]
    named = [("contrasts", name) for pair in config.contrasts for name in pair]
    named += [("start_from.arm", arm.start_from.arm) for arm in arms if arm.start_from is not None]
    if config.budget.matched is not None:
        named.append(("budget.charged_steps", config.budget.matched))
    for key, name in named:
        if name not in names:
            raise ConfigError(f"{source}: {key}: no arm {name!r} in this sweep; it has {', '.join(names)}")


def _check_updates(config: SweepConfig, arms: Sequence[SweepArm], source: str) -> None:
    wanted = config.budget.updates
    for arm in arms:
        updates = arm.config.planned_updates
        if wanted is not None and updates != wanted:
            raise ConfigError(
                f"{source}: budget.updates: {wanted}, but arm {arm.name} makes {updates} "
                f"({arm.config.iterations} iterations x {arm.config.updates_per_iteration}); "
                "set iterations and updates_per_iteration in overrides"
            )


def _in_order(config: SweepConfig, arms: Sequence[SweepArm], source: str) -> list[SweepArm]:
    """The arms in their order, but for those that need another one first."""
    by_name = {arm.name: arm for arm in arms}
    placed: list[SweepArm] = []

    def place(arm: SweepArm, below: tuple[str, ...]) -> None:
        if arm.name in below:
            raise ConfigError(f"{source}: arms {' -> '.join((*below, arm.name))} wait for each other")
        for need in needs(config, arm):
            missing = set(arm.seeds) - set(by_name[need].seeds)
            if missing:
                raise ConfigError(
                    f"{source}: arm {arm.name} needs {need} of seed {min(missing)}, which is not in the "
                    f"sweep; add the seed to {need} or leave it out of {arm.name}"
                )
            place(by_name[need], (*below, arm.name))
        if arm not in placed:
            placed.append(arm)

    for arm in arms:
        place(arm, ())
    return placed


def needs(config: SweepConfig, arm: SweepArm) -> list[str]:
    """Arms whose run of the same seed has to be finished first."""
    found = [arm.start_from.arm] if arm.start_from is not None else []
    matched = config.budget.matched
    return found + ([matched] if matched is not None and matched not in (arm.name, *found) else [])
