"""The benchmark measures every operation beside the same done bare, and refuses what cannot fit."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from planet.bench import crowd as crowds
from planet.bench.__main__ import main
from planet.bench.calls import call_rows, operations
from planet.bench.crowd import Memory, check_room
from planet.bench.episodes import episode_rows
from planet.bench.row import Row, table
from planet.bench.spread import beside, spread
from planet.bench.stage import Stage, set_stage
from planet.errors import SessionError
from planet.records.task import Task
from planet.world.session import CACHE_KB, PAGE_BYTES, Session
from planet.world.tools import OPERATORS
from tests.planet.worlds import toy_world


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    made = set_stage("compact")
    yield made
    made.close()


def row(ours: list[float], raw: list[float], **fields: object) -> Row:
    return Row(what="a", ours=spread(ours), raw=spread(raw), raw_is="b", **fields)


# ── numbers ───────────────────────────────────────────────────────────────────────────────────────


def test_a_quantile_is_the_smallest_sample_that_its_share_does_not_exceed() -> None:
    told = spread([float(n) for n in range(1, 201)])  # 1 to 200
    assert (told.median, told.p90, told.p99, told.worst) == (100.5, 180.0, 198.0, 200.0)  # 0.9, 0.99 of 200
    assert told.mean == 100.5  # (1 + 200) / 2


def test_a_quantile_of_too_few_samples_is_not_told() -> None:
    assert spread([1.0] * 9).p90 is None and spread([1.0] * 10).p90 == 1.0
    assert spread([1.0] * 99).p99 is None and spread([1.0] * 100).p99 == 1.0


def test_a_ratio_is_of_medians_and_none_beside_nothing() -> None:
    assert row([8.0, 2.0, 50.0], [4.0]).ratio == 2.0  # 8 / 4
    assert row([8.0], [0.0]).ratio is None


def test_the_table_has_no_column_of_dashes() -> None:
    alone = Row(what="a", ours=spread([1.0]), raw=None, raw_is="")
    assert table([alone])[0].split() == ["CPU", "microseconds", "samples", "median", "worst"]
    head, line = table([row([8.0], [4.0], bound=5.0)])
    assert head.split()[-4:] == ["SQLite", "ratio", "bound", "beside"]
    assert line.split()[-4:] == ["4.00", "2.00", "5.00", "b"]


def test_both_sides_are_done_equally_often_and_the_first_run_is_left_out() -> None:
    done = {"ours": 0, "raw": 0, "before": 0}

    def doing(what: str):
        return lambda: done.update({what: done[what] + 1})

    ours, raw = beside(doing("ours"), doing("raw"), 50, before=doing("before"), every=20)
    assert (ours.count, raw.count) == (50, 50)
    assert done == {"ours": 70, "raw": 70, "before": 4}  # a run of 20 first, then 20, 20 and 10


# ── running ───────────────────────────────────────────────────────────────────────────────────────


def test_every_operation_of_the_tools_is_measured(stage: Stage) -> None:
    names = [operation.what for operation in operations(stage)]
    assert {f"search, {op}" for op in OPERATORS} <= {*names}
    assert {"list", "get", "update", "create", "search_documents", "get_document"} <= {*names}
    rows = call_rows(stage, 20)
    assert [r.what for r in rows] == [*(f"call: {name}" for name in names), "call: refused"]
    assert all(r.ours.count == 20 and r.ours.worst > 0 for r in rows)


def test_what_is_done_bare_finds_what_the_tool_finds(stage: Stage) -> None:
    stage.reset()
    for operation in operations(stage):
        found = operation.bare()
        result = stage.session.call(operation.tool, operation.arguments)
        assert result.error is None
        if operation.what.startswith(("list", "search, ")):
            payload = result.payload
            assert [r["id"] for r in payload["rows"]] == [r[0] for r in found][:5]
            assert payload["more"] == (len(found) > 5)
        elif operation.what == "get":
            assert result.payload["id"] == found[0][0]


def test_what_is_written_bare_is_written_by_the_tool(stage: Stage) -> None:
    stage.reset()
    for operation in operations(stage):
        if operation.what in ("update", "create"):
            before = [c.total_changes for c in (stage.raw, stage.session.connection)]
            operation.bare()
            stage.session.call(operation.tool, operation.arguments)
            after = [c.total_changes for c in (stage.raw, stage.session.connection)]
            assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1]


def test_a_grade_is_beside_all_that_it_checks(stage: Stage) -> None:
    begun, graded = episode_rows(stage, 20)
    checks = len(stage.task.key.assertions) + len(stage.session.image.key.invariants)
    assert graded.raw_is == f"its {checks} checks" and begun.bound == 5.0


def test_the_command_writes_the_numbers_that_it_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planet.bench.__main__.COMPACT_WORLDS", 1)
    assert main(["--repeats", "20", "--json", str(tmp_path / "bench.json")]) == 0
    said = capsys.readouterr().out
    written = json.loads((tmp_path / "bench.json").read_text())
    assert written["worlds"] == 1 and written["machine"]["sqlite"] == sqlite3.sqlite_version
    for line in written["rows"]:
        assert line["what"] in said
        if line["raw"] is not None:
            assert line["ratio"] == line["ours"]["median"] / line["raw"]["median"]
    parts = {line["what"] for line in written["rows"]}
    assert {"new episode", "grade", "validate a world", "audit a task"} <= parts
    assert "making runs at" in said and "bound 0.20" not in said  # a bound of library worlds


# ── many sessions ─────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def toy_places(monkeypatch: pytest.MonkeyPatch, toy: Task) -> None:
    monkeypatch.setattr(crowds, "library_places", lambda _: [crowds.Place(*toy_world(), toy)])


def test_sessions_that_are_open_together_are_all_played_and_closed(
    toy_places: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["--sessions", "120", "--json", str(tmp_path / "crowd.json")]) == 0
    written = json.loads((tmp_path / "crowd.json").read_text())
    counts = {line["what"]: line["ours"]["count"] for line in written["rows"]}
    calls = len(crowds.library_places(1)[0].task.key.oracle)
    assert counts["open a session"] == counts["close a session"] == counts["grade, all open"] == 120
    assert counts["a call, all open"] == 120 * calls and counts["a call, 100 open"] == 100 * calls
    assert "MB each when begun" in capsys.readouterr().out


def test_too_many_sessions_for_the_memory_are_refused_with_what_would_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(crowds, "free_memory", lambda: (100_000_000, "free memory"))
    each = Memory(begun=400_000.0, played=500_000.0)
    with pytest.raises(SessionError) as refused:
        check_room(10_000, 100, each, files=0)
    assert str(refused.value) == (  # 10,000 x 0.5 MB; 0.9 x 100 MB / 0.5 MB
        "10,000 sessions take about 5,000 MB, and free memory is 100 MB; free some, or try --sessions 180"
    )
    check_room(180, 100, each, files=0)


def test_too_many_sessions_for_the_file_descriptors_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "free_memory", lambda: None)
    monkeypatch.setattr(crowds, "free_files", lambda: 1_000)
    each = Memory(begun=1.0, played=1.0)
    with pytest.raises(SessionError, match=r"hold 20,000 file descriptors, and 1,000 are left \(ulimit -n\)"):
        check_room(10_000, 100, each, files=200)
    check_room(10_000, 100, each, files=0)


def test_a_session_that_does_not_open_ends_the_command_in_one_line(
    toy_places: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[Session] = []

    def narrow(*arguments: object) -> Session:
        if len(opened) == 7:
            raise MemoryError
        opened.append(Session(*arguments))
        return opened[-1]

    monkeypatch.setattr(crowds, "Session", narrow)
    assert main(["--sessions", "50"]) == 2
    said = capsys.readouterr().err
    assert said.endswith("no more sessions open after 7: out of memory; try --sessions 6\n")
    with pytest.raises(sqlite3.ProgrammingError):  # what was open is closed
        opened[0].connection.execute("SELECT 1")


@pytest.mark.parametrize(
    "words", [["--sessions", "0"], ["--library", "x"], ["--library", "1", "--sessions", "1"]]
)
def test_wrong_use_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2 and capsys.readouterr().err.count("\n") == 1


def test_a_place_for_the_numbers_that_does_not_exist_is_told_before_anything_is_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--json", "/none/bench.json"]) == 2
    assert "/none/bench.json: its folder does not exist" in capsys.readouterr().err


# ── what a session holds ──────────────────────────────────────────────────────────────────────────


def test_a_session_takes_back_more_than_its_cache_holds(session: Session, toy: Task) -> None:
    connection = session.connection
    assert connection.execute("PRAGMA page_size").fetchone() == (PAGE_BYTES,)
    start = connection.execute('SELECT * FROM "documents" ORDER BY "id"').fetchall()
    body = "x" * PAGE_BYTES
    for number in range(4 * CACHE_KB):  # a page each at least: four times the cache
        connection.execute('INSERT INTO "documents" VALUES (?, ?, ?)', (f"new-{number}", "t", body))
    session.begin(toy)
    assert connection.execute('SELECT * FROM "documents" ORDER BY "id"').fetchall() == start
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
