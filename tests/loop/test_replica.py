"""A replica shares what comes before learning and what judges it, and nothing that is drawn in between."""

from pathlib import Path

import pytest

from analysis.ledger import EpisodeRow, Ledger, WorldRow
from loop.config import Config
from loop.launch import launch
from loop.loading import load
from loop.sweep.runs import read_sweep

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def ledgers(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Ledger]]:
    folder = tmp_path_factory.mktemp("replicas")
    made = []
    for replica in (0, 1):
        config = load(ROOT / "experiments" / "micro.yaml", (f"replica={replica}", f"cache={folder}/cache"))
        launch(config, folder / str(replica))
        made.append((config.run_id, Ledger(folder / str(replica) / "ledger.sqlite")))
    return made


def episodes(ledger: Ledger, run_id: str, purpose: str, step: int | None = None) -> list[tuple]:
    rows = [r for r in ledger.rows(EpisodeRow, run_id) if r.purpose == purpose]
    first = min(r.step for r in rows) if step is None else step
    return sorted((r.task_id, r.tokens, r.reward) for r in rows if r.step == first)


def worlds(ledger: Ledger, run_id: str, grown: bool) -> set[str]:
    return {r.world_id for r in ledger.rows(WorldRow, run_id) if (r.origin == "grown") == grown}


def test_replicas_share_splits_warm_start_and_evaluation(ledgers: list[tuple[str, Ledger]]) -> None:
    (one, first), (other, second) = ledgers
    assert worlds(first, one, grown=False) == worlds(second, other, grown=False)
    for purpose in ("validate", "diagnose"):  # of the warm start: the first of their kind
        assert episodes(first, one, purpose) == episodes(second, other, purpose) != []
    tests = [{r.task_id for r in book.rows(EpisodeRow, run) if r.purpose == "test"} for run, book in ledgers]
    assert tests[0] == tests[1]


def test_replicas_grow_other_worlds_and_play_other_episodes(ledgers: list[tuple[str, Ledger]]) -> None:
    (one, first), (other, second) = ledgers
    grown = worlds(first, one, grown=True), worlds(second, other, grown=True)
    assert all(grown) and not grown[0] & grown[1]
    assert episodes(first, one, "train") != episodes(second, other, "train")


def test_a_replica_has_a_name_of_its_own_and_the_first_one_that_of_before() -> None:
    plain = Config()
    assert Config(replica=0).run_id == plain.run_id != Config(replica=1).run_id
    assert "replica" not in plain.recorded()
    assert len({Config(replica=n).learning_seed for n in range(3)}) == 3


def test_the_pairs_of_equal_arms_differ_in_the_replica_alone() -> None:
    sweep = read_sweep(ROOT / "experiments" / "same_arms.yaml")
    assert [arm.name for arm in sweep.arms] == ["closed_loop", "closed_loop_again"]
    trees = [arm.config.recorded() for arm in sweep.arms]
    names = {name for tree in trees for name in tree if trees[0].get(name) != trees[1].get(name)}
    assert names == {"name", "arm", "replica"}
    assert all(len(arm.seeds) == 20 for arm in sweep.arms)
