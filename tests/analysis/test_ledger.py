"""The ledger: whole steps or nothing, equal dumps, exact truncation, two writers, clear refusals."""

import multiprocessing
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from analysis.errors import LedgerError
from analysis.ledger import (
    ChargeRow,
    ClockRow,
    EpisodeRow,
    EvidenceRow,
    Ledger,
    MetricRow,
    RunRow,
    StepRow,
    ToolCallRow,
    TrajectoryRow,
    episode_rows,
)
from analysis.ledger.tables import METADATA
from analysis.run_directory import open_run
from planet.records.episode import Call, Evidence, Grade, Trajectory
from tests.analysis.simulated_run import SimulatedRun

RUN = "toy-0123-s0"


def run_row(run_id=RUN):
    return RunRow(run_id=run_id, name="toy", arm="static", seed=0, config_digest="0123", config={"a": [1, 2]})


def step_row(step, run_id=RUN):
    return StepRow(run_id=run_id, step=step, kind="update", iteration=0)


def graded(step, index):
    call = Call(
        tool="update_invoice", arguments={"id": "INV-0001", "status": "paid"}, payload=None, error="no"
    )
    unreadable = Call(tool=None, arguments={"raw": "x"}, payload=None, error="unreadable")
    evidence = Evidence(
        name="A1", kind="equals", table="invoice", column="status", satisfied=False, violated_at_start=True
    )
    trajectory = Trajectory(
        task_id="t0", world_id="w0", calls=(call,) * 7 + (unreadable,), answer=None, ended="turn_limit"
    )
    grade = Grade(
        task_id="t0",
        evidence=tuple(evidence.replace(name=f"A{k}") for k in range(4)),
        score=0.0,
        floor=0.0,
        raw_reward=0.0,
        reward=0.0,
        all_pass=False,
        penalties={"repetition": 0.5},
        collateral=(),
    )
    name = f"s{step:04d}/p{index // 8:02d}/g{index % 8}"
    return episode_rows(
        RUN, step, name, trajectory, grade, purpose="train", variant="t1", tokens=9, policy_version=step
    )


def write_steps(ledger, steps, seconds=1.0):
    for step in steps:
        with ledger.transaction() as tx:
            tx.add(
                step_row(step), *graded(step, 0), MetricRow(run_id=RUN, step=step, name="loss", value=0.25)
            )
            tx.add(ChargeRow(run_id=RUN, step=step, purpose="train", steps=8, charged=True))
            tx.add(ClockRow(run_id=RUN, step=step, seconds=seconds))


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as opened:
        with opened.transaction() as tx:
            tx.add(run_row())
        yield opened


def test_rows_come_back_as_they_were_written(ledger):
    rows = graded(0, 0)
    with ledger.transaction() as tx:
        tx.add(step_row(0), *rows)
    assert ledger.rows(EpisodeRow, RUN) == [rows[0]]
    assert rows[0].calls == 8 and rows[0].malformed == 1  # 7 updates and one unreadable output
    assert ledger.rows(ToolCallRow, RUN) == rows[1:9]
    assert ledger.rows(EvidenceRow, RUN, name="A2") == [rows[11]]  # 1 episode + 8 calls + A0, A1, A2
    assert ledger.runs() == [run_row()]


def test_rows_of_later_steps_come_alone(ledger):
    write_steps(ledger, range(4))
    assert [row.step for row in ledger.rows(MetricRow, RUN, after=1)] == [2, 3]
    assert [row.step for row in ledger.rows(EpisodeRow, RUN, after=1, policy_version=3)] == [3]


def test_some_columns_come_back_decoded_and_by_key(ledger):
    write_steps(ledger, [1, 0])
    found = ledger.columns(EpisodeRow, RUN, "penalties", "episode_id")
    assert found == [(row.penalties, row.episode_id) for row in ledger.rows(EpisodeRow, RUN)]
    assert [name for _, name in found] == ["s0000/p00/g0", "s0001/p00/g0"]
    assert found[0][0] == {"repetition": 0.5}


def test_a_whole_trajectory_is_kept_on_request(ledger):
    trajectory = Trajectory(task_id="t0", world_id="w0", calls=(), answer="done", ended="answer")
    grade = Grade(
        task_id="t0",
        evidence=(),
        score=1,
        floor=0,
        raw_reward=1,
        reward=1,
        all_pass=True,
        penalties={},
        collateral=(),
    )
    rows = episode_rows(
        RUN, 0, "e", trajectory, grade, purpose="test", variant="t1", tokens=1, policy_version=0, keep="whole"
    )
    with ledger.transaction() as tx:
        tx.add(step_row(0), *rows)
    stored = ledger.rows(TrajectoryRow, RUN, episode_id="e")[0].trajectory
    assert Trajectory(**stored) == trajectory


def test_an_error_inside_a_transaction_writes_nothing(ledger):
    with pytest.raises(ZeroDivisionError), ledger.transaction() as tx:
        tx.add(step_row(0))
        _ = 1 / 0
    assert ledger.last_step(RUN) is None


def test_a_refused_row_takes_its_whole_step_with_it(ledger):
    write_steps(ledger, [0])
    with pytest.raises(LedgerError, match=r"refused rows: .*; a step is written once, call truncate_after"):
        write_steps(ledger, [0])
    with pytest.raises(LedgerError), ledger.transaction() as tx:
        tx.add(step_row(1), *graded(0, 0))  # the episodes of step 0 exist already
    assert ledger.last_step(RUN) == 0


def test_rows_without_their_step_row_are_refused(ledger):
    refusal = pytest.raises(LedgerError, match="metrics row of step 3 has no StepRow in its transaction")
    with refusal, ledger.transaction() as tx:
        tx.add(MetricRow(run_id=RUN, step=3, name="loss", value=1.0))


def test_equal_runs_dump_equal_though_their_clocks_differ(tmp_path):
    dumps = []
    for name, seconds in (("a", 1.0), ("b", 2.0)):
        with Ledger(tmp_path / name) as ledger:
            with ledger.transaction() as tx:
                tx.add(run_row())
            write_steps(ledger, range(3), seconds)
            dumps.append(ledger.dump(RUN))
    assert dumps[0] == dumps[1]
    assert len(dumps[0]) == 1 + 3 * (
        1 + 1 + 8 + 4 + 1 + 1
    )  # run; step, episode, calls, evidence, charge, metric
    assert not any("clock" in line for line in dumps[0])


def test_a_truncated_run_that_goes_on_dumps_like_an_uninterrupted_one(tmp_path):
    with Ledger(tmp_path / "a") as whole, Ledger(tmp_path / "b") as cut:
        for ledger in (whole, cut):
            with ledger.transaction() as tx:
                tx.add(run_row())
        write_steps(whole, range(4))
        write_steps(cut, range(3))
        assert cut.truncate_after(RUN, 0) == 2
        assert cut.last_step(RUN) == 0
        write_steps(cut, range(1, 4))
        assert cut.dump(RUN) == whole.dump(RUN)


def test_truncation_leaves_other_runs_alone(ledger):
    with ledger.transaction() as tx:
        tx.add(run_row("other"), step_row(5, "other"))
    write_steps(ledger, range(2))
    assert ledger.truncate_after(RUN, -1) == 2
    assert ledger.last_step(RUN) is None
    assert ledger.last_step("other") == 5
    assert [run.run_id for run in ledger.runs()] == ["other", RUN]


def test_keys_order_as_numbers_not_as_text(ledger):
    write_steps(ledger, [2, 10, 9])
    assert [row.step for row in ledger.rows(StepRow, RUN)] == [2, 9, 10]


def test_sixty_four_episodes_are_written_in_under_100_ms(ledger):
    rows = [row for index in range(64) for row in graded(0, index)]
    assert len(rows) == 64 * (1 + 8 + 4)
    seconds = []
    for step in range(3):
        moved = [row.replace(step=step, episode_id=f"{step}/{row.episode_id}") for row in rows]
        start = time.perf_counter()
        with ledger.transaction() as tx:
            tx.add(step_row(step), *moved)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.1


def test_charged_steps_accumulate_and_uncharged_ones_do_not(ledger):
    with ledger.transaction() as tx:
        tx.add(step_row(0), ChargeRow(run_id=RUN, step=0, purpose="warm_start", steps=100, charged=False))
    for step, steps in ((1, 30), (2, 12)):
        with ledger.transaction() as tx:
            tx.add(
                step_row(step), ChargeRow(run_id=RUN, step=step, purpose="train", steps=steps, charged=True)
            )
    view = ledger.query(
        "SELECT step, charged_so_far FROM charged_steps WHERE run_id = :run ORDER BY step", run=RUN
    )
    assert [row["charged_so_far"] for row in view] == [0, 30, 42]


def test_the_learning_curve_is_of_validation_alone(tmp_path):
    ledger = open_run(SimulatedRun(tmp_path / "run", iterations=0).write()).ledger
    # Both tests of a run without updates are of version 0, as its one validation is.
    curve = ledger.query("SELECT purpose, policy_version, step, charged_steps FROM learning_curve")
    assert curve == [{"purpose": "validate", "policy_version": 0, "step": 2, "charged_steps": 0}]


def test_not_a_number_is_stored_as_not_measured(ledger):
    with ledger.transaction() as tx:
        tx.add(step_row(0), MetricRow(run_id=RUN, step=0, name="kl", value=float("nan")))
    assert ledger.rows(MetricRow, RUN)[0].value is None


def test_an_older_schema_is_refused_with_the_remedy(tmp_path):
    path = tmp_path / "ledger.sqlite"
    Ledger(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE ledger_schema SET version = 0")
    with pytest.raises(
        LedgerError, match="has ledger schema 0, this version reads schema 1; analyse it with the"
    ):
        Ledger(path)


def test_a_reader_does_not_make_a_ledger(tmp_path):
    with pytest.raises(LedgerError, match=r"there is no ledger at .*none.sqlite; give the folder of a run"):
        Ledger(tmp_path / "none.sqlite", create=False)
    assert not (tmp_path / "none.sqlite").exists()


def test_a_database_that_is_no_ledger_is_refused_and_left_as_it_was(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(LedgerError, match="is a database but not a ledger; choose another URL"):
        Ledger(path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("t",)]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("sqlite:////no/such/folder/l.sqlite", "the folder /no/such/folder does not exist; make it"),
        ("nonsense://x/y", "no driver for the ledger nonsense://x/y"),
        ("sqlite://[", "is no database URL; write e.g. sqlite:///"),
    ],
)
def test_a_wrong_url_is_one_line_that_names_the_remedy(url, words):
    with pytest.raises(LedgerError) as caught:
        Ledger(url)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_that_is_no_database_is_one_line(tmp_path):
    path = tmp_path / "text.sqlite"
    path.write_text("a text file, long enough to be read as a header " * 50)
    with pytest.raises(LedgerError, match=r"cannot open the ledger .*: file is not a database"):
        Ledger(path, create=False)


def test_a_password_is_not_shown():
    with pytest.raises(LedgerError) as caught:
        Ledger("nonsense://me:secret@host/db")
    assert "nonsense://me:***@host/db" in str(caught.value) and "secret" not in str(caught.value)


def _write_many(url, name, barrier):
    barrier.wait()
    with Ledger(url) as ledger:
        with ledger.transaction() as tx:
            tx.add(run_row(name))
        for step in range(20):
            with ledger.transaction() as tx:
                tx.add(step_row(step, name))


def test_two_writers_at_once_both_finish(tmp_path):
    context = multiprocessing.get_context("fork")
    barrier, url = context.Barrier(2), f"sqlite:///{tmp_path}/ledger.sqlite"
    writers = [context.Process(target=_write_many, args=(url, name, barrier)) for name in ("a", "b")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    with Ledger(url, create=False) as ledger:
        assert [ledger.last_step(name) for name in ("a", "b")] == [19, 19]


def test_a_writer_killed_in_the_middle_leaves_whole_steps(tmp_path):
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.analysis.test_ledger import RUN, Ledger, run_row, write_steps
ledger = Ledger({str(tmp_path / "l.sqlite")!r})
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
    with Ledger(tmp_path / "l.sqlite", create=False) as ledger:
        last = ledger.last_step(RUN)
        assert last >= 9
        assert len(ledger.rows(EpisodeRow, RUN)) == len(ledger.rows(MetricRow, RUN)) == last + 1
        assert len(ledger.rows(ToolCallRow, RUN)) == 8 * (last + 1)
        write_steps(ledger, [last + 1])


def test_every_table_has_postgresql_ddl():
    statements = [
        str(CreateTable(table).compile(dialect=postgresql.dialect())) for table in METADATA.sorted_tables
    ]
    assert len(statements) == 16  # 15 row types and the schema version
    assert any("value DOUBLE PRECISION" in statement for statement in statements)


def test_the_ledger_loads_no_heavy_library():
    heavy = ("jax", "mlflow", "litellm", "sklearn", "matplotlib", "scipy")
    code = f"import sys, analysis.ledger; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize("create", [True, False])
def test_a_database_of_somebody_else_is_left_as_it_was(tmp_path, create):
    file = tmp_path / "theirs.sqlite"
    theirs = sqlite3.connect(file)
    theirs.execute("CREATE TABLE notes (words TEXT)")
    theirs.commit()
    theirs.close()
    before = file.read_bytes()
    with pytest.raises(LedgerError, match="is a database but not a ledger"):
        Ledger(file, create=create)
    assert file.read_bytes() == before and [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_ledger_is_switched_to_write_ahead_logging_when_it_is_made(tmp_path):
    Ledger(tmp_path / "ours.sqlite").close()
    assert sqlite3.connect(tmp_path / "ours.sqlite").execute("PRAGMA journal_mode").fetchone() == ("wal",)


def damage(ledger, statement):
    with sqlite3.connect(ledger.url.removeprefix("sqlite:///")) as connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE steps SET detail = 'x'", "was changed or damaged: Expecting value"),
        ("UPDATE steps SET detail = '[[[['", "was changed or damaged"),
        ("UPDATE steps SET kind = x'ff'", "was changed or damaged"),
        ("DROP TABLE steps", "could not be read: no such table: steps"),
    ],
)
def test_a_damaged_ledger_is_one_line(ledger, statement, said):
    write_steps(ledger, range(2))
    damage(ledger, statement)
    with pytest.raises(LedgerError) as caught:
        ledger.rows(StepRow, RUN)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_half_a_character_is_no_key_and_no_crash(ledger):
    with pytest.raises(LedgerError, match="is no text that a ledger could hold"):
        ledger.rows(StepRow, "\udcff")
