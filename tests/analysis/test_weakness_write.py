"""The stored reports of a run, written out again."""

import csv
import json

import pytest

from analysis.ledger import EpisodeRow, TaskRow
from analysis.report.record import RunRecord
from analysis.weakness import WeaknessReport, weakness_report
from analysis.weakness.write import (
    StoredReport,
    read_reports,
    weakest_cells,
    write_reports,
    write_weakness,
)
from tests.analysis.planted_probes import report_of


def test_reports_come_back_in_order_with_what_was_aimed_at(run):
    reports = read_reports(run)
    assert [(r.id, r.iteration) for r in reports] == [("r0", 0), ("r1", 1), ("r2", None)]
    assert [r.targeted for r in reports] == [{"family:two_hop"}, {"family:two_hop"}, set()]


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
