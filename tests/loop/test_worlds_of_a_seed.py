"""Splits are disjoint, keep what is held out apart, follow from the seed, and survive the disk."""

from pathlib import Path

import pytest

from loop.config import Config, Coverage, SplitSizes, Tail
from loop.errors import RunError
from loop.learning.coverage import family_weights, with_floor
from loop.learning.demonstrations import demonstrate
from loop.worlds.admission import held_out, refusals
from loop.worlds.generator import linked_pairs, pairs_in, reserve, scenario
from loop.worlds.sessions import SessionPool
from loop.worlds.splits import Splits, build_splits, splits_of, training_families
from loop.worlds.store import read_splits, write_splits
from planet.author.template import TemplateAuthor
from planet.catalog import Catalog, load_catalog
from planet.records.world import Target

SIZES = SplitSizes(
    foundation=2, train=3, diagnose=1, validation=1, test=1, test_reserved=2, test_unseen=1, reserved_pairs=2
)
CONFIG = Config(splits=SIZES, tasks_per_world=6, targeting={"tasks": 4})


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(None)


@pytest.fixture(scope="module")
def splits(catalog: Catalog) -> Splits:
    return build_splits(CONFIG, catalog, TemplateAuthor())


def test_splits_are_as_large_as_asked_and_disjoint(splits: Splits) -> None:
    counts = {o: len(splits.of(o)) for o in ("foundation", "train", "diagnose", "validate", "test")}
    assert counts == {"foundation": 2, "train": 3, "diagnose": 1, "validate": 1, "test": 4}
    assert len(splits.world_ids) == 11


def test_reserved_pairs_and_the_unseen_industry_occur_in_test_alone(splits: Splits) -> None:
    for environment in splits.environments:
        if environment.origin != "test":
            assert held_out(environment.world, splits.reserved) == []
    test = [e.world for e in splits.of("test")]
    assert sum(bool(pairs_in(w) & splits.reserved.pairs) for w in test) >= 2
    assert sum(w.company.industry == splits.reserved.industry for w in test) >= 1


def test_equal_seeds_give_equal_splits_and_another_seed_others(splits: Splits, catalog: Catalog) -> None:
    again = build_splits(CONFIG, catalog, TemplateAuthor())
    assert again.digest == splits.digest
    other = CONFIG.model_copy(update={"seed": 1})
    assert not build_splits(other, catalog, TemplateAuthor()).world_ids & splits.world_ids


def test_arms_of_a_seed_that_run_in_one_process_share_the_splits(catalog: Catalog) -> None:
    heard: list[int] = []
    first = splits_of(CONFIG, catalog, TemplateAuthor(), heard.append)
    targeting = CONFIG.targeting.model_copy(update={"share": 0.5})
    other_arm = CONFIG.model_copy(update={"arm": "other", "targeting": targeting})
    assert splits_of(other_arm, catalog, TemplateAuthor(), heard.append) is first
    assert sum(heard) == 2 * len(first.environments)
    tail = CONFIG.tail.model_copy(update={"exponent": 2.0})
    for update in ({"seed": 1}, {"tasks_per_world": 5}, {"tail": tail}):
        assert splits_of(CONFIG.model_copy(update=update), catalog, TemplateAuthor()) is not first


def test_splits_are_read_back_as_they_were_written(splits: Splits, tmp_path: Path) -> None:
    write_splits(tmp_path, splits)
    back = read_splits(tmp_path)
    assert back.digest == splits.digest and back.reserved == splits.reserved
    assert back.environments == splits.environments


def test_a_world_that_touches_what_is_held_out_is_refused_by_rule(splits: Splits) -> None:
    world = splits.of("train")[0].world
    reserved = splits.reserved
    assert refusals(world, reserved, set()) == []
    assert refusals(world, reserved, {world.id}) == ["equal_world"]
    target = Target(cells=("family:update",), quota=3, avoid=(world.tool_set,))
    aimed = world.replace(brief=world.brief.replace(target=target))
    assert refusals(aimed, reserved, set()) == ["avoided_tools"]
    unseen = [e.world for e in splits.of("test") if e.world.company.industry == reserved.industry]
    assert "unseen_industry" in refusals(unseen[0], reserved, set())
    paired = [e.world for e in splits.of("test") if pairs_in(e.world) & reserved.pairs]
    assert "reserved_pair" in refusals(paired[0], reserved, set())


def test_a_place_for_which_every_world_is_unwanted_says_so_after_its_tries(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loop.worlds.splits.held_out", lambda world, reserved: ["reserved_pair"])
    with pytest.raises(
        RunError, match=r"^split foundation: no world in 40 tries \(reserved_pair 40\); ask for"
    ):
        build_splits(CONFIG, catalog, TemplateAuthor())


def test_what_is_reserved_follows_from_the_seed_and_leaves_every_service_in_use(catalog: Catalog) -> None:
    assert reserve(catalog, 0, 2, True) == reserve(catalog, 0, 2, True)
    assert reserve(catalog, 0, 2, True) != reserve(catalog, 1, 2, True)
    pairs = reserve(catalog, 0, 2, True).pairs
    left = {kind for pair in linked_pairs(catalog) if pair not in pairs for kind in pair}
    assert left == {kind for pair in linked_pairs(catalog) for kind in pair}


def test_a_split_that_cannot_be_built_says_why(catalog: Catalog) -> None:
    every = len(linked_pairs(catalog))
    sizes = SIZES.model_copy(update={"reserved_pairs": every})
    with pytest.raises(RunError, match=r"split foundation: no world in 40 tries \(reserved_pair"):
        build_splits(CONFIG.model_copy(update={"splits": sizes}), catalog, TemplateAuthor())


def test_scenarios_never_name_the_unseen_industry(catalog: Catalog) -> None:
    reserved = reserve(catalog, 0, 2, True)
    drawn = {scenario(catalog, reserved, 0, n).industry for n in range(200)}
    assert reserved.industry not in drawn and len(drawn) == len(catalog.industries) - 1


def test_every_oracle_of_the_foundation_can_be_demonstrated(splits: Splits) -> None:
    sessions = SessionPool(turns=8)
    for environment in splits.of("foundation"):
        for task in environment.tasks:
            shown = demonstrate(environment, task, sessions)
            assert [c.tool for c in shown.trajectory.calls] == [c.tool for c in task.key.oracle]


def test_coverage_falls_as_a_power_of_the_rank_above_a_floor() -> None:
    weights = family_weights(["a", "b", "c", "d"], Coverage(exponent=2, floor=0.1), seed=0)
    # 1, 1/4, 1/9, 1/16 of 205/144: the last two are below 0.1; the rest share 0.8 as 4 to 1.
    assert sorted(weights.values()) == pytest.approx([0.1, 0.1, 0.16, 0.64])
    assert family_weights(["a", "b", "c", "d"], Coverage(), 0) != family_weights(
        ["a", "b", "c", "d"], Coverage(), 3
    )


def test_raising_one_weight_to_the_floor_may_push_another_below_it() -> None:
    # Once c has 0.1, a and b share 0.9 as 845 to 105: b gets 0.0995, so it is raised as well.
    assert with_floor({"a": 0.845, "b": 0.105, "c": 0.05}, 0.1) == pytest.approx(
        {"a": 0.8, "b": 0.1, "c": 0.1}
    )


def test_even_coverage_is_exponent_zero() -> None:
    assert family_weights(["a", "b"], Coverage(exponent=0), 0) == {"a": 0.5, "b": 0.5}


def test_training_worlds_have_a_long_tail_of_their_own_and_the_other_splits_none(catalog: Catalog) -> None:
    tailed = CONFIG.model_copy(
        update={"tail": Tail(exponent=4, floor=0), "splits": SIZES.model_copy(update={"train": 6})}
    )
    splits = build_splits(tailed, catalog, TemplateAuthor())
    weights = training_families(tailed)
    head = max(weights, key=lambda family: weights[family])
    assert weights[head] > 0.9  # 1 / (1 + 1/16 + 1/81 + ...) = 0.92
    trained = [t.key.facets.family for e in splits.of("train") for t in e.tasks]
    assert trained.count(head) > 0.7 * len(trained)
    assert all(e.world.brief.families == {} for e in splits.of("test") + splits.of("diagnose"))
    assert family_weights(sorted(weights), tailed.tail, tailed.seed) != weights, "an order of its own"


def test_training_families_are_alike_unless_a_tail_is_asked_for() -> None:
    assert training_families(CONFIG) == {}


def test_what_training_withholds_it_withholds_without_a_tail_too() -> None:
    withheld = CONFIG.model_copy(update={"tail": Tail(without=("update",))})
    weights = training_families(withheld)
    assert weights["update"] == 0 and set(weights.values()) == {0, 1 / 7}


def test_a_key_of_the_tail_switches_none_on() -> None:
    assert Config.model_validate({"tail": {"floor": 0.02}}).tail.exponent == 0


def test_a_session_is_reused_and_begins_as_new(splits: Splits) -> None:
    sessions = SessionPool(turns=8, limit=1)
    environment = splits.of("train")[0]
    first = sessions.open(environment, environment.tasks[0])
    first.call(environment.tasks[0].key.oracle[0].tool, environment.tasks[0].key.oracle[0].arguments)
    sessions.give_back(first)
    second = sessions.open(environment, environment.tasks[1])
    assert second is first and second.steps == 0
    third = sessions.open(environment, environment.tasks[0])
    assert third is not first
