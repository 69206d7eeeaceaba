"""The stored reports of a run, written out again."""

import csv
import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from analysis.compare.cells import write_cells
from analysis.ledger import EpisodeRow, TaskRow
from analysis.report.outcome import aimed_cells
from analysis.report.record import RunRecord
from analysis.run_directory import open_run
from analysis.weakness import WeaknessReport, weakness_report
from analysis.weakness.write import (
    StoredReport,
    read_reports,
    weakest_cells,
    write_reports,
    write_weakness,
)
from planet.identity import canonical_json
from tests.analysis.planted_probes import report_of


def test_reports_come_back_in_order_with_what_was_aimed_at(run):
    reports = read_reports(run)
    assert [(r.id, r.iteration) for r in reports] == [("r0", 0), ("r1", 1), ("r2", None)]
    assert [r.aimed_at for r in reports] == [{"family:two_hop"}, {"family:two_hop"}, set()]


@pytest.fixture
def exploring(run_path, tmp_path):
    """The run, with a hint beside each goal; of its two briefs the first aims, and the second explores."""
    shutil.copytree(run_path, tmp_path / "exploring")
    asked = {"text": "a shop", "target": {"cells": ["family:two_hop", "resource:invoice"]}}
    with closing(sqlite3.connect(tmp_path / "exploring" / "ledger.sqlite")) as ledger, ledger:
        ledger.execute("UPDATE briefs SET brief = ?", (canonical_json(asked),))
        for iteration, aimed in enumerate((["i0/b00"], [])):
            noted = (canonical_json({"aimed_briefs": aimed}), iteration)
            ledger.execute("UPDATE steps SET detail = ? WHERE kind = 'grow' AND iteration = ?", noted)
    return open_run(tmp_path / "exploring")


def test_a_cell_is_targeted_by_goals_of_briefs_that_aim_and_not_by_hints_or_exploring(exploring, tmp_path):
    assert [r.aimed_at for r in read_reports(exploring)] == [{"family:two_hop"}, set(), set()]
    write_weakness(exploring, tmp_path)
    write_cells({"one": exploring}, tmp_path)
    for name in ("weakness.csv", "cells.csv"):
        rows = csv.DictReader((tmp_path / name).open())
        marked = [(row["report"], row["cell"]) for row in rows if row["targeted"] == "True"]
        assert marked == [("r0", "family:two_hop")], name


def test_the_page_of_a_run_names_the_same_cells_as_its_table(exploring):
    pages = [aimed_cells(iteration) for iteration in RunRecord(exploring).iterations]
    assert pages == [report.aimed_at for report in read_reports(exploring)[:2]]


def test_a_stored_report_follows_from_the_stored_episodes(run):
    first = RunRecord(run).diagnoses[0]
    assert weakness_report(first.probes) == first.report == read_reports(run)[0].report


def test_the_weakest_family_of_the_simulated_agent_is_the_planted_one(run):
    assert read_reports(run)[0].report.ranked(["family"])[0].value == "two_hop"


def test_reports_are_written_as_json_csv_and_heat_map(run, tmp_path):
    result = write_weakness(run, tmp_path, top=2)
    stored = json.loads((tmp_path / "weakness.json").read_text())
    assert WeaknessReport.model_validate(stored["r1"]) == read_reports(run)[1].report
    rows = list(csv.DictReader((tmp_path / "weakness.csv").open()))
    aimed = [row["targeted"] for row in rows if row["cell"] == "family:two_hop"]
    assert aimed == ["True", "True", "False"]
    assert (tmp_path / "weakness.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "weakness.csv").read_text().count("\n") == 1 + sum(
        len(stored.report.cells) for stored in read_reports(run)
    )
    # each of three: totals, abstention, header, two cells; two empty lines between
    assert result.text.count("report r") == 3 and len(result.text.splitlines()) == 3 * 5 + 2


def test_targeted_cells_are_always_shown(run):
    assert weakest_cells(read_reports(run), count=1) == ["family:two_hop"]


def test_gradient_shares_are_those_of_the_groups_admitted_since_the_report_before(run):
    first, second, _ = read_reports(run)
    assert {cell.gradient_share for cell in first.report.cells} == {None}
    steps = [row["step"] for row in run.ledger.query("SELECT step FROM reports ORDER BY step")]
    admitted = {
        (row.group_id, row.task_id)
        for row in run.ledger.rows(EpisodeRow, run.id, purpose="train")
        if row.admitted and steps[0] < row.step < steps[1]
    }
    families = {row.task_id: row.family for row in run.ledger.rows(TaskRow, run.id)}
    assert admitted
    for family in set(families.values()):
        share = sum(families[task] == family for _, task in admitted) / len(admitted)
        assert second.report.cell(f"family:{family}").gradient_share == pytest.approx(share)


def test_claims_and_what_was_forgotten_are_marked(tmp_path):
    mastered = report_of("update_b")
    lost = report_of("update_a", previous=mastered)
    reports = [StoredReport(f"r{i}", i, report, frozenset()) for i, report in enumerate((mastered, lost))]
    write_reports(reports, tmp_path)
    rows = list(csv.DictReader((tmp_path / "weakness.csv").open()))
    marked = {(row["report"], row["cell"]) for row in rows if row["forgotten"] == "True"}
    assert marked == {("r1", "tool:update_a")}
    assert "tool:update_a" in weakest_cells(reports, count=1)
