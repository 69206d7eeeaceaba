"""The ledger on a real PostgreSQL server: what SQLite holds, it holds, and two writers lose nothing."""

import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.errors import LedgerError
from analysis.ledger import EpisodeRow, Ledger, MetricRow, RunRow, StepRow, ToolCallRow
from analysis.run_directory import open_run
from planet.records.episode import Trajectory
from tests.analysis.postgresql_server import PASSWORD, new_database, server
from tests.analysis.simulated_run import SimulatedRun
from tests.analysis.test_ledger import RUN, graded, run_row, step_row, write_steps

ROOT = Path(__file__).resolve().parents[2]
VIEWS = ("episode_outcomes", "charged_steps", "gradient_tasks", "learning_curve")


@pytest.fixture(scope="module")
def url():
    with server() as running:
        yield running


@pytest.fixture
def database(url, request):
    """The URL of an empty database."""
    return new_database(url, request.node.name[:60])


def copied(source: Ledger, run_id: str, target: Ledger) -> None:
    """Write every row of a run into another ledger, step by step."""
    from analysis.ledger.rows import ROW_TYPES

    rows = [row for row_type in ROW_TYPES for row in source.rows(row_type, run_id)]
    for step in [None, *sorted({row.step for row in rows if isinstance(row, StepRow)})]:
        with target.transaction() as tx:
            tx.add(*(row for row in rows if getattr(row, "step", None) == step))


def test_a_whole_run_dumps_equal_on_both_databases_and_their_views_agree(database, tmp_path):
    SimulatedRun(tmp_path / "run").write()
    run = open_run(tmp_path / "run")
    with Ledger(database) as ledger:
        copied(run.ledger, run.id, ledger)
        assert ledger.dump(run.id) == run.ledger.dump(run.id)
        for view in VIEWS:
            here, there = ledger.query(f"SELECT * FROM {view}"), run.ledger.query(f"SELECT * FROM {view}")
            assert sorted(map(comparable, here)) == sorted(map(comparable, there)) and here


def comparable(row):
    """A row as text; SQLite has no truth values, and averages may differ in the last digit."""
    return str([(k, round(float(v), 9) if isinstance(v, (int, float)) else v) for k, v in row.items()])


def test_text_that_a_policy_may_write_survives(database):
    raw = {"raw": "nul \x00, quote ', percent %s :name, emoji \U0001f600, newline \n"}
    with Ledger(database) as ledger:
        with ledger.transaction() as tx:
            tx.add(run_row(), step_row(0), *graded(0, 0)[:1])
            call = graded(0, 0)[8].replace(arguments=raw)
            tx.add(call)
        assert ledger.rows(ToolCallRow, RUN) == [call]


def test_a_url_without_a_driver_means_the_one_of_the_extra(database):
    with Ledger(database.replace("+psycopg", "")) as ledger:
        assert ledger.url.startswith("postgresql+psycopg://tester:***@127.0.0.1:")


def test_a_refused_row_takes_its_whole_step_with_it(database):
    with Ledger(database) as ledger:
        with ledger.transaction() as tx:
            tx.add(run_row())
        write_steps(ledger, [0])
        with pytest.raises(LedgerError, match=r"refused rows: .*a step is written once") as caught:
            write_steps(ledger, [0])
        assert "\n" not in str(caught.value)
        with pytest.raises(LedgerError), ledger.transaction() as tx:
            tx.add(step_row(1), *graded(0, 0))  # the episode of step 0 exists already
        assert ledger.last_step(RUN) == 0


def test_a_truncated_run_goes_on_like_an_uninterrupted_one(database, tmp_path):
    with Ledger(tmp_path / "whole.sqlite") as whole, Ledger(database) as cut:
        for ledger in (whole, cut):
            with ledger.transaction() as tx:
                tx.add(run_row())
        write_steps(whole, range(4))
        write_steps(cut, range(3))
        assert cut.truncate_after(RUN, 0) == 2
        write_steps(cut, range(1, 4))
        assert cut.dump(RUN) == whole.dump(RUN)


STEPS = 30


def _write_many(url, name, barrier):
    barrier.wait()  # both make the tables, and write, at the same time
    with Ledger(url) as ledger:
        with ledger.transaction() as tx:
            tx.add(RunRow(run_id=name, name="toy", arm=name, seed=0, config_digest="0", config={}))
        for step in range(STEPS):
            rows = [row.replace(run_id=name) for row in graded(step, 0)]
            with ledger.transaction() as tx:
                tx.add(step_row(step, name), *rows, MetricRow(run_id=name, step=step, name="x", value=1.0))


def test_two_processes_that_write_at_once_lose_nothing(database):
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(2)
    writers = [context.Process(target=_write_many, args=(database, name, barrier)) for name in ("a", "b")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0]
    with Ledger(database, create=False) as ledger:
        for name in ("a", "b"):
            assert ledger.last_step(name) == STEPS - 1
            assert len(ledger.rows(EpisodeRow, name)) == len(ledger.rows(MetricRow, name)) == STEPS
            assert len(ledger.rows(ToolCallRow, name)) == 8 * STEPS  # 8 calls per episode
        assert [run.run_id for run in ledger.runs()] == ["a", "b"]


def test_a_writer_killed_in_the_middle_leaves_whole_steps(database):
    code = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.analysis.test_ledger import Ledger, run_row, write_steps
ledger = Ledger({database!r})
with ledger.transaction() as tx:
    tx.add(run_row())
for step in range(100_000):
    write_steps(ledger, [step])
    print(step, flush=True)
"""
    writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    while writer.stdout.readline() != b"9\n":
        assert writer.poll() is None
    writer.kill()
    writer.wait()
    with Ledger(database, create=False) as ledger:
        last = ledger.last_step(RUN)
        assert last >= 9
        assert len(ledger.rows(EpisodeRow, RUN)) == len(ledger.rows(MetricRow, RUN)) == last + 1
        write_steps(ledger, [last + 1])


def test_a_database_that_is_no_ledger_or_is_missing_is_refused_in_one_line(database):
    with pytest.raises(LedgerError, match="is a database but not a ledger; choose another URL"):
        Ledger(database, create=False)
    with pytest.raises(LedgerError, match=r'cannot open the ledger .*"none" does not exist') as caught:
        Ledger(database.rpartition("/")[0] + "/none")
    assert "\n" not in str(caught.value)


def test_a_wrong_password_and_a_silent_server_are_one_line_without_the_password(url):
    for broken in (
        url.replace(PASSWORD, "guessed-secret"),
        "postgresql+psycopg://t:guessed-secret@127.0.0.1:9",
    ):
        with pytest.raises(LedgerError, match="cannot open the ledger ") as caught:
            Ledger(f"{broken}/postgres")
        assert "\n" not in str(caught.value) and "guessed-secret" not in str(caught.value)


def test_trajectories_of_any_length_are_stored(database):
    long = Trajectory(task_id="t", world_id="w", calls=(), answer="x" * 3_000_000, ended="answer")
    from analysis.ledger import TrajectoryRow

    with Ledger(database) as ledger:
        row = TrajectoryRow(run_id=RUN, step=0, episode_id="e", trajectory=long.model_dump(mode="json"))
        with ledger.transaction() as tx:
            tx.add(run_row(), step_row(0), row)
        assert ledger.rows(TrajectoryRow, RUN) == [row]
