"""Reached shares are counted, expected ones follow from uniform draws from the pool as it stood."""

import csv

import pytest

from analysis.errors import DataError
from analysis.footprint.pool import DIMENSIONS, PoolTask, Update, read_pool, read_updates
from analysis.footprint.shares import footprint
from analysis.footprint.write import write_footprint


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
    assert len(rows) == 7 * 2 * 6
    assert {row["dimension"] for row in rows} == set(DIMENSIONS)
    assert all(0 <= float(row["low"]) <= float(row["high"]) <= 1 for row in rows)
    assert all(0 <= float(row["expected"]) <= 1 and 0 <= float(row["share"]) <= 1 for row in rows)
    assert result.files[1].read_bytes().startswith(b"\x89PNG")
    assert result.text.splitlines()[0].split("  ")[0] == "with a gradient"
