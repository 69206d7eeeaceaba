"""Families that the warm start withholds: refused when unknown, never shown, recorded if there are any."""

from dataclasses import replace
from pathlib import Path

import pytest

from loop.config import Config, Coverage, SplitSizes
from loop.errors import ConfigError, RunError
from loop.learning.coverage import demonstrated_weights, family_weights
from loop.learning.demonstrations import OracleDemonstrator
from loop.loading import load
from loop.sweep.runs import read_sweep
from loop.worlds.sessions import SessionPool
from loop.worlds.splits import build_splits
from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.tasks.families import FAMILIES

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"
MICRO = EXPERIMENTS / "micro.yaml"


def refused(override: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(MICRO, (override,))
    return str(caught.value).removeprefix(f"{MICRO}: ")


def test_an_unknown_family_is_refused_with_the_nearest_one() -> None:
    assert refused("coverage.without=[two_hops]") == (
        "coverage.without: unknown family 'two_hops'; did you mean 'two_hop'?"
    )


def test_withholding_every_family_is_refused() -> None:
    assert refused(f"coverage.without={list(FAMILIES)}") == (
        "coverage.without: all families are left out, so nothing can be shown; keep at least one"
    )


def test_a_withheld_family_has_no_share_whatever_the_floor_and_the_others_rank_among_themselves() -> None:
    families = ["create", "lookup", "two_hop", "update"]
    weights = family_weights(families, Coverage(exponent=1, floor=0.1, without=("two_hop",)), seed=0)
    # 1, 1/2 and 1/3 of 11/6.
    assert weights.pop("two_hop") == 0.0
    assert sorted(weights.values()) == pytest.approx([2 / 11, 3 / 11, 6 / 11])


def test_a_family_that_is_not_there_leaves_the_others_in_the_order_that_foundation_worlds_have() -> None:
    for seed in range(8):  # each with an order of its own
        made = family_weights(sorted(FAMILIES), Coverage(), seed)
        shown = demonstrated_weights(set(FAMILIES) - {"repair"}, Coverage(), seed)
        rest = 1 - made.pop("repair")
        assert shown == pytest.approx({family: weight / rest for family, weight in made.items()})
    assert demonstrated_weights(FAMILIES, Coverage(), 0) == family_weights(sorted(FAMILIES), Coverage(), 0)


def test_no_demonstration_shows_a_withheld_family() -> None:
    sizes = SplitSizes(
        foundation=2, train=1, diagnose=1, validation=1, test=1, test_reserved=0, test_unseen=0
    )
    catalog = load_catalog(None)
    even = Config(splits=sizes, tasks_per_world=8, coverage=Coverage(exponent=0))
    foundation = build_splits(even, catalog, TemplateAuthor()).of("foundation")
    families = {t.id: t.key.facets.family for e in foundation for t in e.tasks}
    gone = sorted(families.values())[0]
    coverage = Coverage(exponent=0, without=(gone,))
    made = OracleDemonstrator().demonstrate(foundation, coverage, 0, 80, SessionPool(turns=8))
    assert {families[s.view.task_id] for s in made.shown} == set(families.values()) - {gone}
    assert {family for family, share in made.coverage.items() if share} == set(families.values()) - {gone}
    alone = [replace(e, tasks=tuple(t for t in e.tasks if families[t.id] == gone)) for e in foundation]
    with pytest.raises(RunError, match="nothing else is there to be shown"):
        OracleDemonstrator().demonstrate(alone, coverage, 0, 80, SessionPool(turns=8))
    withheld = even.model_copy(update={"coverage": coverage})
    again = build_splits(withheld, catalog, TemplateAuthor())
    assert gone not in {t.key.facets.family for e in again.of("foundation") for t in e.tasks}
    assert gone in {
        t.key.facets.family for o in ("train", "diagnose", "test") for e in again.of(o) for t in e.tasks
    }


def test_withholding_nothing_is_not_recorded_so_that_earlier_digests_stand() -> None:
    plain = load(MICRO)
    assert "without" not in plain.recorded()["coverage"]
    assert load(MICRO, ("coverage.without=[]",)).digest == plain.digest
    withheld = load(MICRO, ("coverage.without=[two_hop, repair]",))
    assert withheld.recorded()["coverage"]["without"] == ["repair", "two_hop"]
    assert withheld.digest != plain.digest
    assert load(MICRO, ("coverage.without=[repair, two_hop, repair]",)).digest == withheld.digest


def test_the_arms_of_the_withheld_sweep_differ_in_their_grower_alone() -> None:
    sweep = read_sweep(EXPERIMENTS / "withheld_sweep.yaml")
    assert [arm.name for arm in sweep.arms] == ["closed_loop", "random_worlds"] and len(sweep.seeds) == 3
    trees = [arm.config.recorded() for arm in sweep.arms]
    growers = [tree.pop("curriculum")["grower"]["type"] for tree in trees]
    for tree in trees:
        del tree["name"], tree["arm"]
    assert trees[0] == trees[1] and growers == ["closed_loop", "random_worlds"]


def test_the_withheld_run_is_the_main_job_looked_at_twice_as_often() -> None:
    main, withheld = load(EXPERIMENTS / "closed_loop.yaml"), load(EXPERIMENTS / "withheld.yaml")
    assert withheld.coverage.without == ("update",)
    assert withheld.iterations == 2 * main.iterations
    for config in (main, withheld):  # updates and worlds of the whole run
        assert config.iterations * config.updates_per_iteration == 66
        assert config.iterations * config.growth.quota == 144
