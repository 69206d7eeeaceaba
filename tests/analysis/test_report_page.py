"""The page of a run or a sweep: what it says first, where its links lead, and that data stays data."""

import shutil
from pathlib import Path

import pytest

from analysis.compare.standing import Point, Sample, Standing
from analysis.footprint.pool import read_updates
from analysis.intervals import Interval
from analysis.ledger import BriefRow, Ledger, ReportRow, StepRow, TaskRow
from analysis.report.__main__ import main
from analysis.report.anchors import Anchors
from analysis.report.briefs import ask, brief_section
from analysis.report.contrasts import CONTROLS, difference, sweep_verdict
from analysis.report.markup import element
from analysis.report.record import Diagnosis, Iteration, RunRecord, change
from analysis.report.run_page import run_parts
from analysis.report.samples import Limits, diagnosed, last_test, shared_limits, shown_cells, trained
from analysis.report.sweep_page import WHOLE, arm_curves
from analysis.report.tested import test_section as section_of_test
from analysis.report.touched import footprint_section
from analysis.report.verdict import run_verdict
from analysis.report.write import write_report
from analysis.run_directory import OpenRun, open_run
from analysis.weakness import ProbeEpisode, weakness_report
from analysis.weakness.attribution import blame
from analysis.weakness.write import read_reports
from tests.analysis.extended_run import extend
from tests.analysis.hostile_run import HOSTILE, HostileRun
from tests.analysis.page_reader import Page
from tests.analysis.simulated_run import SimulatedRun


@pytest.fixture(scope="module")
def record(run):
    return RunRecord(run)


@pytest.fixture(scope="module")
def page(run_path, tmp_path_factory):
    """The page of the simulated run."""
    out = tmp_path_factory.mktemp("page") / "report.html"
    write_report(run_path, out)
    return Page(out.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def sweep_path(run_path, other_path, tmp_path_factory):
    """A folder with two runs and one that has not begun."""
    folder = tmp_path_factory.mktemp("sweep")
    shutil.copytree(run_path, folder / "closed-s0")
    shutil.copytree(other_path, folder / "static-s0")
    (folder / "late").mkdir()
    Ledger(folder / "late" / "ledger.sqlite").close()
    return folder


def sample(passed, worlds):
    return Sample(
        [float(p) for p in passed], [float(p) for p in passed], list(worlds), ["update"] * len(worlds)
    )


def run_with(before, after, worlds="ab"):
    """A run whose warm start and final policy passed as given, one sampled episode per world."""
    return Standing(
        "x", {"t1": sample(before, worlds)}, {"t1": sample(after, worlds)}, (), 9, {"train": 5}, 2
    )


def test_the_page_opens_with_the_verdict(page, record):
    assert page.texts["verdict"] == run_verdict(record.standing)
    body = [name for name, _ in page.elements]
    assert body[body.index("main") : body.index("main") + 3] == ["main", "h1", "p"]


def test_a_verdict_is_one_sentence_with_its_interval():
    # 0 of 2 before and 2 of 2 after, in both worlds: +100 points whatever worlds are drawn
    assert run_verdict(run_with([0, 0], [1, 1])) == (
        "Test all-pass (sampled) rose: 0.0% after the warm start, 100.0% after 9 updates, "
        "+100.0 [+100.0, +100.0] points (95 % interval over 2 worlds, one seed)."
    )
    # one world gained and one lost: mean 0, and a draw of one world twice gives -100 or +100
    assert "did not change beyond its interval: 50.0%" in run_verdict(run_with([0, 1], [1, 0]))
    assert "+0.0 [-100.0, +100.0] points" in run_verdict(run_with([0, 1], [1, 0]))
    assert run_verdict(run_with([1, 1], [0, 0])).startswith("Test all-pass (sampled) fell")


def test_every_link_leads_to_one_place_of_the_page(page):
    assert len(set(page.ids)) == len(page.ids)
    assert page.links and all(link.startswith("#") and link[1:] in page.ids for link in page.links)


def test_the_page_needs_nothing_else(page):
    assert not page.all("img") and not page.all("iframe") and page.all("script") == [{}]
    assert page.all("link") == [{"rel": "icon", "href": "data:,"}]
    (policy,) = [m["content"] for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-") and "unsafe" not in policy


def test_every_iteration_goes_from_weakness_to_result(page):
    said = page.texts["h3"]
    parts = ["Weakness: report r0", "Brief: 1 asked, 1 aimed", "World: 1 made", "Result: after 3 updates"]
    places = [said.index(part) for part in parts]
    assert places == sorted(places) and "Weakness: report r1" in said[places[-1] :]
    assert "Result: after 6 updates" in said


def brief(number, rung="", world=None, **refused):
    target = {
        "cells": ["family:update"],
        "quota": 7,
        "reason": "it failed",
        "rung": rung,
        "avoid": ["a", "b"],
    }
    return BriefRow(
        run_id="r",
        step=4,
        brief_id=f"b{number}",
        brief={"text": "A shop.", "target": target},
        admitted_world_id=world,
        on_target=world is not None,
        refused=refused,
    )


def test_briefs_are_told_by_what_they_aim_at_and_what_refused_them():
    briefs = (
        brief(0, world="w0", V08=2),
        brief(1, V08=1),
        brief(2, rung="1 of 3 to family:repair"),
        brief(3),
    )
    iteration = Iteration(0, None, briefs, frozenset({"b0", "b1", "b2"}), (), (), 0)
    read = Page(element("main", brief_section(iteration)))
    assert read.rows == [
        ["family:update", "2", "1", "1 of 1", "it failed", "V08 3"],
        ["family:update, rung 1 of 3 to family:repair", "1", "0", "-", "it failed", "-"],
        ["(exploring)", "1", "0", "-", "cells drawn at random, whatever the report says", "-"],
    ]
    assert "V08 ×3: not so: every trigger and its effect lie in different services" in read.texts["note"]
    assert ask(briefs[2]) == (
        "A shop. Cells: family:update; tasks wanted: 7; rung 1 of 3 to family:repair; 2 tool sets to avoid."
    )


def test_a_weak_cell_leads_to_episodes_that_failed_in_it(record, page):
    for diagnosis in record.diagnoses:
        for cell in shown_cells(record, diagnosis.report.cells, Limits()):
            shown = [e for e in cell.exemplars if e in diagnosed(record, diagnosis, Limits())]
            assert shown or cell.failures == 0
            assert all(cell.name in diagnosis.blamed[episode] for episode in shown)


def test_samples_are_few_and_hold_failures_and_passes(record):
    diagnosis = record.diagnoses[0]
    few = diagnosed(record, diagnosis, Limits(exemplars=2, passed=1))
    assert len(few) == 3 and few == diagnosed(record, diagnosis, Limits(exemplars=2, passed=1))
    assert [bool(diagnosis.blamed[e]) for e in few] == [True, True, False]


def test_test_episodes_show_a_pass_and_a_failure_of_each_family(other_path):
    record = RunRecord(open_run(other_path))
    ids = last_test(record, Limits())
    rows = {row["episode_id"]: row for row in record.run.ledger.query("SELECT * FROM episode_outcomes")}
    shown = [(rows[e]["family"], rows[e]["all_pass"]) for e in ids]
    assert {rows[e]["variant"] for e in ids} == {"greedy"} and {passed for _, passed in shown} == {0, 1}
    assert len(set(shown)) == len(shown) <= 6  # of three families
    assert last_test(record, Limits(tested=2)) == ids[:2]


def test_a_run_without_whole_training_episodes_shows_none(record):
    assert trained(record, record.iterations[0], Limits()) == []


def test_a_part_that_is_not_wanted_is_not_read(run_path):
    record = RunRecord(open_run(run_path))
    parts = run_parts(record, Anchors("r"), Limits(), only=("Test", "Costs"))
    assert [part.name for part in parts] == ["Test", "Costs"]
    assert not {"iterations", "diagnoses", "health", "gradients"} & set(vars(record))
    (first,) = run_parts(record, Anchors("r"), Limits(), only=("Iteration 1",))
    assert first.name == "Iteration 1"


def test_runs_share_a_page_s_room():
    assert shared_limits(1) == Limits()
    thirds = Limits(cells=10, exemplars=10, passed=2, trained=2, tested=5)  # 30 // 3, 16 // 3
    assert shared_limits(3) == thirds


def probe(world, passed):
    return ProbeEpisode(
        episode_id=f"{world}-{passed}",
        task_id=world,
        world_id=world,
        cells=("family:update",),
        evidence=(),
        calls=(),
        planned=({"tool": "update_x", "arguments": {}, "required": True, "cells": ("family:update",)},),
        writers={},
        all_pass=passed,
        raw_reward=float(passed),
        ended="answer",
    )


def diagnosis(passes):
    probes = tuple(probe(world, passed) for world, passed in zip("ab", passes, strict=True))
    blamed = {p.episode_id: blame(p) for p in probes}
    return Diagnosis(0, "r0", 0, weakness_report(probes), probes, blamed)


def test_failure_before_and_after_is_paired_by_world():
    before, after = diagnosis([False, False]), diagnosis([False, True])
    assert before.failure("family:update") == (1.0, 1.0, 1.0)
    # one of two worlds cured: -1/2; a draw of one world twice gives 0 or -1
    assert change(before, after, "family:update") == (-0.5, -1.0, 0.0)
    assert change(before, after, "family:create") is None


def test_two_reports_of_one_run_are_equal(run_path, tmp_path):
    files = [tmp_path / "a.html", tmp_path / "b.html"]
    for file in files:
        write_report(run_path, file)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (0, "Nothing was evaluated yet"),
        (2, "Not tested yet: validation all-pass is"),
        (3, "Weakness: report r0"),
        (4, "Result: no update yet"),
        (5, "Not validated yet."),
        (8, "Not tested yet: validation all-pass went from"),
        (15, "Not tested yet: validation all-pass went from"),
        (16, "Tested once so far: validation all-pass went from"),
    ],
)
def test_an_unfinished_run_has_a_page_of_what_there_is(last, words, run_path, tmp_path):
    part = tmp_path / "run"
    shutil.copytree(run_path, part)
    with Ledger(part / "ledger.sqlite") as ledger:
        ledger.truncate_after("sim-closed_loop-s0", last)
    write_report(part)
    text = (part / "report.html").read_text(encoding="utf-8")
    read = Page(text)
    assert words in text and all(link[1:] in read.ids for link in read.links)


@pytest.mark.parametrize("seen", [-1, 2, 3, 5, 9, 12])
def test_what_a_live_run_writes_after_its_steps_were_read_is_left_out(seen, run_path):
    behind = RunRecord(open_run(run_path))
    behind.steps = [step for step in behind.steps if step.step <= seen]
    parts = run_parts(behind, Anchors("r"), Limits(cells=2, exemplars=2, passed=1, trained=1, tested=1))
    assert len([part for part in parts if part.name.startswith("Iteration")]) == len(behind.iterations)
    # Each iteration: a diagnosis, a growth, three updates and a validation; the first begins with step 3.
    assert len(behind.diagnoses) == (seen >= 3) + (seen >= 9)
    assert len(behind.gradients) == sum(at <= seen for at in (5, 6, 7, 11, 12, 13))


class Behind:
    """A ledger whose steps and reports were read before the rest of what it holds was written."""

    def __init__(self, ledger, seen):
        self.ledger, self.seen = ledger, seen

    def query(self, sql, **parameters):
        found = self.ledger.query(sql, **parameters)
        return [row for row in found if "FROM steps" not in sql or row["step"] <= self.seen]

    def rows(self, kind, run_id, **equals):
        found = self.ledger.rows(kind, run_id, **equals)
        return [row for row in found if kind not in (ReportRow, StepRow) or row.step <= self.seen]


def test_updates_and_briefs_that_are_newer_than_the_steps_that_were_read_are_left_out(run):
    behind = OpenRun(run.path, Behind(run.ledger, 3), run.run)
    assert read_updates(behind.ledger, run.id) == []
    (stored,) = read_reports(behind)
    assert stored.id == "r0" and stored.aimed_at == frozenset()


def test_an_extension_is_told_apart_on_the_page(run_path, tmp_path):
    shutil.copytree(run_path, tmp_path / "run")
    before = RunRecord(open_run(tmp_path / "run"))
    samples, touched = last_test(before, Limits()), footprint_section(before)
    assert "went on" not in section_of_test(before.standing)
    extend(before.run)
    after = RunRecord(before.run)
    assert last_test(after, Limits()) == samples  # of the policy whose scores stand above them
    assert footprint_section(after) == touched
    assert len(after.health) == 7 and len(after.planned_health) == 6
    read = Page(element("main", section_of_test(after.standing)))
    (row,) = [row for row in read.rows if row[0] == "t1, went on"]
    assert row[2] == "100.0% [100.0%, 100.0%]" and "charged budget" in read.texts["note"]


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory):
    """The page of a run whose every text is hostile."""
    run = HostileRun(tmp_path_factory.mktemp("hostile") / "run", iterations=1).write()
    write_report(run)
    return run / "report.html"


def test_hostile_text_is_shown_and_never_markup(hostile_page):
    text = hostile_page.read_text(encoding="utf-8")
    read = Page(text)
    assert read.all("script") == [{}] and not read.all("img") and "window.hacked" not in read.texts["script"]
    assert not [name for _, attributes in read.elements for name in attributes if name.startswith("on")]
    for place in (
        "blockquote",
        "error",
        "calls",
        "world",
        "scroll",
    ):  # instruction, errors, calls, world, tables
        assert HOSTILE in read.texts[place] or HOSTILE[:30] in read.texts[place], place
    assert "\x07" not in text and "bell \\u0007" in text


def test_a_sweep_shows_arms_contrasts_curves_and_every_run(sweep_path):
    write_report(sweep_path)
    read = Page((sweep_path / "report.html").read_text(encoding="utf-8"))
    assert "closed_loop" in read.texts["verdict"] and "static" in read.texts["verdict"]
    assert "closed_loop − static" in read.texts["words"]
    assert "late is empty; wait for the run to record its first step" in read.texts["note"]
    assert len([a for a in read.all("details") if a.get("class") == "run"]) == 2
    assert len(set(read.ids)) == len(read.ids) and all(link[1:] in read.ids for link in read.links)


def test_arms_are_compared_on_the_seeds_and_worlds_that_they_share():
    ours = {
        0: run_with([0, 0], [1, 1]),
        1: run_with([0, 0], [1, 1], "cd"),
        2: run_with([0, 0], [1, 1], "ef"),
    }
    theirs = {
        0: run_with([0, 0], [0, 1]),
        1: run_with([0, 0], [0, 0], "xy"),
        3: run_with([0, 0], [0, 0]),
    }
    # seed 0 alone is shared: all of its two worlds against one of them, +1/2
    assert difference(ours, theirs, "t1") == (0.5, 0.0, 1.0)
    said = sweep_verdict({"closed_loop": ours, "stale": theirs, "random_worlds": {7: ours[2]}})
    assert said == (
        "Test all-pass of closed_loop minus that of stale: +50.0 [+0.0, +100.0] points (95 % interval over "
        "the test worlds of one seed: a case study, which claims no difference)."
    )


def test_from_ten_seeds_on_the_interval_is_students_of_one_difference_per_seed():
    ours = {seed: run_with([0, 0], [1, seed < 4]) for seed in range(10)}
    theirs = {seed: run_with([0, 0], [1, 0]) for seed in range(10)}
    # Differences of 0.5 four times and of 0 six times: mean 0.2, standard deviation 0.258; t(0.975, 9) 2.262
    # times 0.258 / sqrt(10) is 0.1847. Resampled seeds would give [0.05, 0.35].
    assert difference(ours, theirs, "t1") == pytest.approx((0.2, 0.0153, 0.3847), abs=1e-4)


def test_ten_seeds_that_agree_are_told_as_seeds():
    ours = {seed: run_with([0, 0], [1, 1]) for seed in range(10)}
    theirs = {seed: run_with([0, 0], [0, 0]) for seed in range(10)}
    said = sweep_verdict({"closed_loop": ours, "placebo": theirs})
    assert said.endswith(
        "is above that of placebo: +100.0 [+100.0, +100.0] points (95 % interval over 10 seeds)."
    )


def test_curves_of_arms_average_the_seeds_that_all_arms_have():
    def run_at(*shares):
        points = [Point(u, 10 * u, Interval(y, y, y), y, {}) for u, y in enumerate(shares)]
        return run_with([0, 0], [1, 1])._replace(curve=tuple(points))

    arms = {"closed_loop": {0: run_at(0.2, 0.4), 1: run_at(0.4, 0.8), 2: run_at(0.0, 0.0)}}
    arms["static"] = {0: run_at(0.0, 0.0), 1: run_at(0.6, 1.0)}
    read = Page(element("main", arm_curves(arms)))
    assert "Means over the seeds that all arms have: 0, 1." in read.texts["note"]
    # all-pass over updates from (0.2 + 0.4) / 2 = 0.3 to 0.6, and from 0.3 to 0.5: of 0.6, at the top,
    # 166 - 158 / 2 = 87 and 166 - 158 * 5 / 6 = 34.3 pixels down
    lines = [a["points"] for a in read.all("polyline")][:2]
    assert lines == ["44.0,87.0 342.0,8.0", "44.0,87.0 342.0,34.3"]
    assert "No seed is shared" in arm_curves({"a": {0: run_at(0.1), 1: run_at(0.2)}, "b": {2: run_at(0.3)}})


def test_many_runs_are_told_in_short(tmp_path):
    for seed in range(9):
        SimulatedRun(tmp_path / f"s{seed}", seed=seed, iterations=1, updates=1).write()
    write_report(tmp_path)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "python -m analysis.report" in text and "Weakness: report" not in text


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "holds no run; give a run directory, or a folder that holds some"),
        (lambda path: (path / "config.json").write_text("{"), "config.json cannot be read as JSON"),
        (lambda path: Ledger(path / "ledger.sqlite").close(), "is empty; wait for the run to record"),
    ],
)
def test_a_folder_without_a_run_is_one_line(make, words, tmp_path, capsys):
    make(tmp_path)
    assert main([str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


def test_a_page_is_written_whole_or_not_at_all(run_path, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main([str(run_path), "--out", str(tmp_path / "file" / "x.html")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main([str(run_path), "--out", str(tmp_path / "new" / "x.html")]) == 0
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["x.html"]
    assert open_run(run_path).ledger.rows(TaskRow, "sim-closed_loop-s0")  # the run itself is only read


def test_the_documentation_says_how_much_is_shown():
    page = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")
    words = " ".join(page.split())
    limits = Limits()
    assert f"{limits.exemplars} exemplars of the cells shown and {limits.passed} passes" in words
    assert f"{limits.trained} training episodes" in words and WHOLE == 8 and "Up to eight runs" in words
    assert ", then `balanced_worlds`, `placebo`, `static`, `stale`)" in words
    assert CONTROLS == ("random_worlds", "balanced_worlds", "placebo", "static", "stale")
