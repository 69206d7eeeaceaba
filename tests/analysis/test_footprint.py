"""Reached shares are counted, expected ones follow from uniform draws from the pool as it stood."""

import csv
from itertools import combinations

import numpy as np
import pytest

from analysis.errors import DataError
from analysis.footprint.__main__ import main
from analysis.footprint.beside import pairs_of, require_same_start
from analysis.footprint.pool import DIMENSIONS, PoolTask, Update, read_pool, read_updates
from analysis.footprint.shares import ends_of_iterations, footprint, subsets
from analysis.footprint.write import render_iterations, write_footprint
from analysis.ledger import Ledger, RunRow, StepRow, task_row, world_row
from analysis.run_directory import open_run
from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.cells import cells_of, owned
from planet.records.world import Brief
from planet.synthesize import synthesize
from tests.analysis.simulated_run import SimulatedRun


def pool_of(worlds, tasks_per_world, since=0):
    """Worlds with tasks of their own; every other dimension takes one value per world, too."""
    return {
        f"{since}/w{w}/t{t}": PoolTask(
            since, {d: (f"{since}/w{w}/t{t}",) if d == "tasks" else (f"{since}/w{w}",) for d in DIMENSIONS}
        )
        for w in range(worlds)
        for t in range(tasks_per_world)
    }


def at(reached, dimension, update, scope="cumulated"):
    return next(r for r in reached if (r.dimension, r.update, r.scope) == (dimension, update, scope))


def test_two_draws_from_two_worlds_reach_three_quarters_on_average():
    updates = [Update(1, 0, 0, ("0/w0/t0",)), Update(2, 1, 0, ("0/w0/t0",))]
    reached = footprint(pool_of(2, 1), updates, draws=4000)
    # One draw reaches 1 of 2; the second one reaches the other with probability 1/2: (1 + 1/2) / 2
    assert at(reached, "worlds", 0).expected == 0.5
    assert at(reached, "worlds", 1).expected == pytest.approx(0.75, abs=0.02)
    assert at(reached, "worlds", 1).share == 0.5  # the run took the same world twice
    assert (at(reached, "worlds", 1).low, at(reached, "worlds", 1).high) == (0.5, 1.0)


def test_draws_within_an_update_do_not_repeat():
    reached = footprint(pool_of(4, 1), [Update(1, 0, 0, tuple(pool_of(4, 1)))], draws=50)
    assert at(reached, "tasks", 0)[4:] == (4, 4, 1.0, 1.0, 1.0)  # four tasks of four, always


def test_a_task_counts_once_however_often_it_is_drawn():
    updates = [Update(step, step - 1, 0, ("0/w0/t0",)) for step in range(1, 6)]
    assert at(footprint(pool_of(5, 2), updates, draws=10), "tasks", 4).reached == 1


def test_the_pool_counts_as_it_stood_at_each_update():
    pool = {**pool_of(2, 1), **pool_of(6, 1, since=5)}
    updates = [Update(3, 0, 0, ("0/w0/t0",)), Update(6, 1, 1, ("5/w3/t0",))]
    reached = footprint(pool, updates, draws=2000)
    assert [at(reached, "worlds", u).pool for u in (0, 1)] == [2, 8]
    # (1 + 7/8) / 8: the second draw from eight misses the first one's world with probability 7/8
    assert at(reached, "worlds", 1).expected == pytest.approx(0.234375, abs=0.005)


def test_an_iteration_starts_its_own_count():
    updates = [Update(1, 0, 0, ("0/w0/t0",)), Update(2, 1, 1, ("0/w1/t0",))]
    reached = footprint(pool_of(2, 1), updates, draws=10)
    assert at(reached, "worlds", 1).reached == 2
    assert at(reached, "worlds", 1, "iteration").reached == 1


def test_an_update_without_a_gradient_reaches_nothing():
    reached = footprint(pool_of(2, 1), [Update(1, 0, 0, ())], draws=10)
    assert at(reached, "tasks", 0)[4:] == (0, 2, 0.0, 0.0, 0.0)


def test_a_corpus_of_4326_environments_is_half_covered_by_200_updates_of_16():
    pool = pool_of(4326, 10)
    names = sorted(pool)
    updates = [Update(u + 1, u, 0, tuple(names[u * 16 : u * 16 + 16])) for u in range(200)]
    last = at(footprint(pool, updates, draws=5), "worlds", 199)
    # An environment is missed by one update with (1 − 16/43260)^10, by 200 with 0.47739: 52.3 % are reached.
    assert last.expected == pytest.approx(0.523, abs=0.006)
    assert last.reached == 320  # in order, 3,200 tasks fill 320 environments of ten


def test_a_run_without_updates_has_no_footprint():
    with pytest.raises(DataError, match="no updates yet; a footprint needs at least one"):
        footprint(pool_of(1, 1), [])


def test_a_run_is_read_with_the_gate_that_it_had(run):
    updates = read_updates(run.ledger, run.id)
    assert [u.number for u in updates] == list(range(6))
    assert [u.iteration for u in updates] == [0, 0, 0, 1, 1, 1]
    admitted = {
        row["step"]: row["admitted"] for row in run.ledger.query("SELECT step, admitted FROM updates")
    }
    assert [len(u.tasks) for u in updates] == [admitted[u.step] for u in updates]
    assert len(read_pool(run.ledger, run.id)) == (4 + 2) * 3  # four worlds and two grown, three tasks each


def test_the_written_table_holds_every_dimension_scope_and_update(run, tmp_path):
    result = write_footprint(run, tmp_path)
    rows = list(csv.DictReader(result.files[0].open()))
    assert len(rows) == 7 * 2 * 6  # no task of the simulated run puts an invariant at stake
    assert {row["dimension"] for row in rows} == set(DIMENSIONS) - {"invariants"}
    assert all(0 <= float(row["low"]) <= float(row["high"]) <= 1 for row in rows)
    assert all(0 <= float(row["expected"]) <= 1 and 0 <= float(row["share"]) <= 1 for row in rows)
    assert result.files[-1].read_bytes().startswith(b"\x89PNG")
    assert result.text.splitlines()[0].split("  ")[0] == "with a gradient"


# ── uniform draws ─────────────────────────────────────────────────────────────────────────────────


def test_every_subset_is_drawn_equally_often():
    drawn = subsets(np.random.default_rng(0), 5, 2, 20_000)
    counts = {pair: 0 for pair in combinations(range(5), 2)}
    for row in drawn:
        counts[tuple(sorted(row))] += 1
    # Ten pairs of 2,000 each; the standard deviation of a count is sqrt(20,000 x 0.1 x 0.9) = 42.
    assert all(abs(count - 2000) < 4.5 * 42 for count in counts.values())


def test_a_draw_of_all_takes_each_once_and_a_draw_of_none_takes_none():
    everything = subsets(np.random.default_rng(0), 7, 7, 50)
    assert (np.sort(everything, axis=1) == np.arange(7)).all()
    assert subsets(np.random.default_rng(0), 7, 0, 50).shape == (50, 0)


def test_a_big_run_is_drawn_in_seconds():
    """66 updates of 16 tasks from 2,400, 500 draws of eight dimensions: the size of the main job."""
    from time import process_time

    pool = pool_of(240, 10)
    names = sorted(pool)
    updates = [Update(u + 1, u, u // 22, tuple(names[u * 16 : u * 16 + 16])) for u in range(66)]
    begun = process_time()
    assert len(footprint(pool, updates)) == 8 * 2 * 66
    assert process_time() - begun < 8


# ── invariants, iterations, other runs ────────────────────────────────────────────────────────────


def at_stake(**rules):
    """A pool of one-task worlds; each task puts some rules at stake, perhaps none."""
    pool = pool_of(len(rules), 1)
    return {
        name: task._replace(values={**task.values, "invariants": tuple(of)})
        for (name, task), of in zip(sorted(pool.items()), rules.values(), strict=True)
    }


def test_tasks_that_put_no_rule_at_stake_cover_none():
    pool = at_stake(a=(), b=("b/r1", "b/r2"), c=("c/r1",))
    reached = footprint(pool, [Update(1, 0, 0, ("0/w0/t0",)), Update(2, 1, 0, ("0/w1/t0",))], draws=4000)
    first, second = (at(reached, "invariants", update) for update in (0, 1))
    assert (first.reached, second.reached, second.pool) == (0, 2, 3)
    assert first.expected == pytest.approx(1 / 3, abs=0.02)  # (0 + 2 + 1) / 3 rules, of 3
    assert (first.low, first.high) == (0, pytest.approx(2 / 3))


def test_a_pool_without_rules_has_no_share_of_them():
    reached = footprint(at_stake(a=(), b=()), [Update(1, 0, 0, ())], draws=10)
    assert "invariants" not in {r.dimension for r in reached} and len(reached) == 7 * 2


def test_the_rules_of_real_tasks_are_those_that_their_keys_put_at_stake(tmp_path):
    made = synthesize(Brief(text="a"), TemplateAuthor(), load_catalog(), 0, tasks=16)
    with Ledger(tmp_path / "ledger.sqlite") as ledger, ledger.transaction() as tx:
        tx.add(RunRow(run_id="r", name="n", arm="a", seed=0, config_digest="0", config={}))
        tx.add(StepRow(run_id="r", step=0, kind="worlds", iteration=None))
        tx.add(world_row("r", 0, made.world, origin="train"))
        for task in made.tasks:
            names = [*(a.id for a in task.key.assertions), *task.key.at_stake]
            owners = {name: owned(task.key, name) for name in names}
            tx.add(task_row("r", 0, task, split="train", cells=cells_of(task.key), owned=owners))
    with Ledger(tmp_path / "ledger.sqlite", create=False) as ledger:
        pool = read_pool(ledger, "r")
    wanted = {t.id: tuple(f"{made.world.id}/{rule}" for rule in sorted(t.key.at_stake)) for t in made.tasks}
    assert {name: task.values["invariants"] for name, task in pool.items()} == wanted
    assert any(wanted.values()) and not all(wanted.values())


def test_each_iteration_is_told_by_itself_with_its_range():
    updates = [Update(1, 0, 0, tuple(pool_of(4, 1))), Update(2, 1, 1, ("0/w1/t0",)), Update(3, 2, None, ())]
    reached = footprint(pool_of(4, 1), updates, draws=200)
    assert [r.update for r in ends_of_iterations(reached) if r.dimension == "tasks"] == [0, 0, 1, 1]
    lines = render_iterations(reached).splitlines()
    assert lines[0].split()[-2:] == ["0", "1"]
    assert lines[1].split()[:5] == ["tasks", "100.0%", "(100.0%", "to", "100.0%)"]
    assert lines[1].split()[5:] == ["25.0%", "(25.0%", "to", "25.0%)"]  # one of four tasks, whoever draws


def test_a_share_outside_of_the_range_is_marked():
    updates = [Update(step, step - 1, 0, ("0/w0/t0",)) for step in range(1, 21)]
    reached = footprint(pool_of(20, 1), updates, draws=200)
    assert at(reached, "tasks", 19).outside  # one task of twenty; twenty draws reach about 13
    assert not at(reached, "tasks", 0).outside


def test_a_run_stands_beside_another_of_its_seed_iteration_by_iteration(run, other_path, tmp_path, capsys):
    assert main([str(run.path), "--beside", str(other_path), "--out", str(tmp_path)]) == 0
    rows = list(csv.DictReader((tmp_path / "footprint_beside.csv").open()))
    assert len(rows) == 7 * 2 * 2  # dimensions, scopes, iterations
    for row in rows:
        assert float(row["difference"]) == pytest.approx(float(row["share"]) - float(row["other_share"]))
    assert {row["other"] for row in rows} == {"static, seed 0"}
    told = capsys.readouterr().out
    assert "with a gradient" in told and "tasks, to iteration 1" in told and "points" in told


def test_only_iterations_that_both_runs_have_are_paired():
    pool = pool_of(4, 1)
    long = footprint(pool, [Update(1, 0, 0, ("0/w0/t0",)), Update(2, 1, 1, ("0/w1/t0",))], draws=10)
    short = footprint(pool, [Update(1, 0, 0, ())], draws=10)
    pairs = pairs_of(long, short)
    assert {pair.mine.iteration for pair in pairs} == {0}
    assert next(p for p in pairs if p.mine.dimension == "tasks").difference == 0.25  # 1 of 4 against none


def test_runs_of_other_seeds_and_the_run_itself_are_refused(run, tmp_path, capsys):
    with pytest.raises(DataError, match="cannot stand beside itself; give another run of seed 0"):
        require_same_start(run, open_run(run.path))
    other = SimulatedRun(tmp_path / "other", seed=1, iterations=0).write()
    assert main([str(run.path), "--beside", str(other)]) == 2
    assert "footprints are compared at the same seed, give another run" in capsys.readouterr().err
