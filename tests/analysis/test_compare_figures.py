"""The figures of run directories: what is counted, by hand, and what is left out without data."""

import csv
import shutil

import pytest

from analysis.compare.cells import reports_of, write_cells
from analysis.compare.dose import Dose, doses_of, rank_correlation
from analysis.compare.dose_table import write_doses
from analysis.compare.funnel import Funnel, _funnel, costs, funnels_of, syntheses, total, write_funnel
from analysis.compare.mass import masses_of, uniform_effective_number, write_mass
from analysis.compare.pages import on_pages
from analysis.compare.standing import standing
from analysis.compare.write import write_comparison
from analysis.ledger import AuthorCallRow, BriefRow, StepRow
from analysis.run_directory import open_run
from tests.analysis.extended_run import extend
from tests.analysis.simulated_run import SimulatedRun

FIGURES = ("learning_curves", "cells", "dose_response", "sampling", "author_funnel")


def asked(brief_id, world_id, refused):
    return BriefRow(
        run_id="r",
        step=4,
        brief_id=brief_id,
        brief={},
        admitted_world_id=world_id,
        on_target=True,
        refused=refused,
    )


def call(brief, index, link, accepted=True, attempt=0):
    return AuthorCallRow(
        run_id="r",
        step=1,
        brief_id=brief,
        call_index=index,
        link=link,
        attempt=attempt,
        author="template",
        accepted=accepted,
    )


def test_every_figure_has_its_table(run, other_path, tmp_path):
    written = {file.name for file in write_comparison([run, open_run(other_path)], tmp_path).files}
    assert written >= {f"{name}.{kind}" for name in FIGURES for kind in ("csv", "png")}


def test_runs_of_one_arm_and_seed_are_told_apart(run_path, tmp_path):
    twins = []
    for name in ("a", "b"):
        shutil.copytree(run_path, tmp_path / name / "run")
        twins.append(open_run(tmp_path / name / "run"))
    write_comparison(twins, tmp_path / "out")
    rows = csv.DictReader((tmp_path / "out" / "author_funnel.csv").open())
    assert {row["run"] for row in rows} == {str(twin.path.resolve()) for twin in twins}


def test_more_runs_than_a_figure_holds_become_further_figures(run, other_path, tmp_path, monkeypatch):
    assert not list(on_pages({}, tmp_path / "a.png", lambda part, path: path))
    (tmp_path / "a_9.png").touch()
    (tmp_path / "a_2_of_mine.png").touch()
    drawn = []
    on_pages(
        dict.fromkeys(range(17)), tmp_path / "a.png", lambda part, path: drawn.append((path.name, list(part)))
    )
    assert drawn == [
        ("a.png", [*range(8)]),
        ("a_2.png", [*range(8, 16)]),
        ("a_3.png", [16]),
    ]
    assert not (tmp_path / "a_9.png").exists()  # of an earlier comparison
    assert (tmp_path / "a_2_of_mine.png").exists()
    monkeypatch.setattr("analysis.compare.pages.RUNS", 1)
    result = write_comparison([run, open_run(other_path)], tmp_path)
    assert {file.name for file in result.files} >= {f"{n}{part}.png" for n in FIGURES for part in ("", "_2")}
    own, other = result.text.split("\n\n")[:2]
    assert "final against" in own and "final against" in other and own.split() != other.split()


def test_the_heat_map_flags_what_briefs_named(run, tmp_path):
    write_cells({"a": run}, tmp_path)
    rows = list(csv.DictReader((tmp_path / "cells.csv").open()))
    named = {(row["report"], row["cell"]) for row in rows if row["targeted"] == "True"}
    assert named == {("r0", "family:two_hop"), ("r1", "family:two_hop")}  # the briefs of both iterations
    assert {row["report"] for row in rows} == {"r0", "r1", "r2"}


def test_the_heat_map_keeps_the_weakest_cells_and_all_that_are_marked(run, tmp_path, monkeypatch):
    monkeypatch.setattr("analysis.compare.cells.CELLS", 2)
    write_cells({"a": run}, tmp_path)
    shown = {row["cell"] for row in csv.DictReader((tmp_path / "cells.csv").open())}
    found = reports_of({"a": run})["a"]
    highest = {}
    for stored in found:
        for cell in stored.report.cells:
            highest[cell.name] = max(highest.get(cell.name, 0.0), cell.wilson_low)
    marked = {lost.cell for stored in found for lost in stored.report.forgotten} | {"family:two_hop"}
    rest = sorted(set(highest) - marked, key=lambda name: (-highest[name], name))
    assert shown == marked | set(rest[: max(0, 2 - len(marked))])
    many = [f"a{number}" for number in range(30)]
    monkeypatch.setattr(
        "analysis.compare.cells.weakest_cells", lambda reports, count: [*many, "family:update"]
    )
    write_cells({"a": run}, tmp_path)
    assert {row["cell"] for row in csv.DictReader((tmp_path / "cells.csv").open())} == {"family:update"}


def test_a_run_without_reports_has_no_heat_map(tmp_path):
    bare = SimulatedRun(tmp_path / "bare", iterations=0)
    bare._diagnose = lambda iteration: None
    opened = open_run(bare.write())
    assert reports_of({"a": opened}) == {} and write_cells({"a": opened}, tmp_path) == []
    assert write_doses({"a": opened}, tmp_path) == ("", []) and write_funnel({"a": opened}, tmp_path) == (
        "",
        [],
    )
    assert write_mass({"a": opened}, tmp_path) == []


def test_dose_is_the_share_gained_and_response_the_failures_removed(run):
    families = doses_of(run, ("family",))
    assert [dose.cell for dose in families] == ["family:create", "family:two_hop", "family:update"]
    assert all(dose.pool_share == pytest.approx(1 / 3) and dose.episodes == 12 for dose in families)
    industries = {dose.cell: dose for dose in doses_of(run, ("industry",))}
    retail = industries["industry:retail"]  # two of three test worlds, three tasks each, four rollouts
    assert retail.episodes == 24 and retail.pool_share == 0.5  # of four starting worlds two are retail
    touched = [row["task_id"] for row in run.ledger.query("SELECT task_id FROM gradient_tasks")]
    share = sum(task.startswith(("train0", "train2", "grown0")) for task in touched) / len(touched)
    assert retail.gradient_share == pytest.approx(share)
    assert retail.dose == pytest.approx(share - 0.5)
    assert retail.response == retail.warm_failure - retail.final_failure > 0


def test_runs_of_one_arm_and_seed_are_both_beside_each_other(run, tmp_path):
    again = open_run(SimulatedRun(tmp_path / "again", gain=0.0, prompts=4).write())
    write_doses({"one": run, "again": again}, tmp_path)
    rows = list(csv.DictReader((tmp_path / "dose_between_arms.csv").open()))
    assert {row["arm"] for row in rows} == {"one", "again"}


@pytest.mark.parametrize(
    ("start", "words"),
    [({"splits": "x"}, "with different worlds"), ({"warm": "x"}, "with different policies")],
)
def test_runs_that_did_not_begin_alike_have_no_slope_between_them(run, tmp_path, start, words):
    other = open_run(SimulatedRun(tmp_path / "other", arm="static", gain=0.0, **start).write())
    text, files = write_doses({"one": run, "other": other}, tmp_path)
    assert "between arms of a seed: not compared, " in text and words in text
    assert "dose_between_arms.csv" not in {file.name for file in files}
    alike = open_run(SimulatedRun(tmp_path / "alike", arm="static", gain=0.0).write())
    assert "not compared" not in write_doses({"one": run, "alike": alike}, tmp_path)[0]


def test_the_rank_correlation_is_of_order_alone():
    pairs = ((1, 2), (2, 9), (9, 10))
    doses = [Dose(f"c{x}", 0.0, x, x, y, 0.0, 30) for x, y in pairs]
    assert rank_correlation(doses) == pytest.approx(1.0)
    assert rank_correlation(doses[:2]) is None
    assert rank_correlation([d._replace(gradient_share=1.0) for d in doses]) is None


def test_prompts_are_counted_once_whatever_their_group(run):
    masses = masses_of(run)
    assert [mass.iteration for mass in masses] == [0, 1]
    assert [mass.prompts for mass in masses] == [9, 9]  # three updates of three prompts
    assert all(sum(mass.origins.values()) == sum(mass.families.values()) == 9 for mass in masses)
    # Four worlds of three tasks, and one grown each.
    assert [mass.pool for mass in masses] == [15, 18]
    assert set(masses[0].origins) <= {"starting pool", "grown in 0"} and masses[0].sampler is None


def test_uniform_draws_take_no_task_twice_in_an_update():
    assert uniform_effective_number([(1, 10)]) == 1
    assert uniform_effective_number([(8, 10)]) == pytest.approx(8)  # eight different ones, whichever
    assert uniform_effective_number([(20, 10)]) == pytest.approx(10)  # each twice
    # Two updates of one of two tasks: the same one (1) or both (2), equally often.
    assert uniform_effective_number([(1, 2)] * 2) == pytest.approx(1.5, abs=0.1)
    assert 90 < uniform_effective_number([(16, 100)] * 600) <= 100


def test_a_synthesis_is_valid_when_its_last_call_was_accepted():
    calls = [
        call("b0", 0, "company"),
        call("b0", 1, "schema", accepted=False),
        call("b0", 2, "schema", attempt=1),  # repaired
        call("b0", 3, "company"),  # tried again elsewhere
        call("b0", 4, "schema", accepted=False),
        call("b1", 0, "company", accepted=False),
        call("b1", 1, "company", attempt=1),
    ]
    assert syntheses(calls) == (3, 2)
    assert syntheses([]) == (0, 0)


def test_each_stage_of_the_funnel_loses_what_its_rules_refuse():
    # Seven syntheses: one not sound, two of a known tool set, one too poor, one off its target, two admitted.
    calls = [call("b0", n, "company", accepted=n > 0) for n in range(6)] + [call("b1", 0, "company")]
    refused = {"V03": 1, "avoided_tools": 2, "reserved_pair": 1, "too_few_tasks": 1, "off_target": 1}
    briefs = [asked("b0", "w0", refused), asked("b1", "w1", {})]
    step = StepRow(run_id="r", step=4, kind="grow", iteration=0)
    metrics = {(4, "grow/syntheses"): 7.0, (4, "grow/audit_steps"): 900.0}
    funnel = _funnel(step, briefs, calls, metrics, seconds=1.0)
    assert funnel[1:6] == (7, 6, 4, 3, 2) and funnel.audit_steps == 900
    counted = _funnel(step, briefs, calls, {**metrics, (4, "grow/valid"): 5.0}, seconds=1.0)
    assert counted.valid == 5  # as the run counted, whatever its calls look like


def test_costs_are_per_admitted_world():
    funnel = Funnel(
        0, 10, 9, 8, 7, 4, author_calls=50, tokens=4000, dollars=0.2, audit_steps=2000, seconds=1.0
    )
    assert costs(funnel) == ("12.5", "1,000", "0.0500", "500", "0.25")
    assert costs(funnel._replace(admitted=0)) == ("-",) * 5
    both = total([funnel, funnel._replace(iteration=1)])
    assert (both.iteration, both.asked, both.admitted, both.audit_steps) == (None, 20, 8, 4000)


def test_the_funnel_of_a_run_counts_admitted_worlds(run):
    found = funnels_of(run)
    assert [(f.iteration, f.asked, f.admitted) for f in found] == [(0, 1, 1), (1, 1, 1)]
    assert found[0].seconds == 0.5


def test_an_extension_is_neither_the_final_policy_nor_equal_updates(run_path, tmp_path):
    shutil.copytree(run_path, tmp_path / "run")
    extended = open_run(tmp_path / "run")
    before = standing(extended)
    extend(extended)
    after = standing(extended)
    assert after.updates == before.updates == 6 and after.charged == before.charged
    assert after.final == before.final and before.extended == {}
    assert after.extended["t1"].passed == [1.0] * 36 and before.final["t1"].passed != [1.0] * 36
    assert [dose.final_failure for dose in doses_of(extended, ("industry",))] == [
        dose.final_failure for dose in doses_of(open_run(run_path), ("industry",))
    ]
