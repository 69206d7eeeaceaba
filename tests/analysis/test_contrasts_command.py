"""python -m analysis.contrasts: figures beside their tables, a light --help, one line for wrong use."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from analysis.compare.write import write_comparison
from analysis.contrasts.__main__ import main
from analysis.contrasts.curves import curve_of_arm
from analysis.contrasts.measures import MEASURES
from analysis.contrasts.page import BEGIN, END
from analysis.contrasts.sweep import as_sweep
from analysis.contrasts.worst_tasks import SHARES, tails
from analysis.run_directory import open_run
from analysis.statistics.power import power
from tests.analysis.covered_sweep import covered_results
from tests.analysis.simulated_sweep import simulated_result, simulated_sweep, write_sweep
from tests.analysis.withheld_run import WithheldRun

FIGURES = ("arm_curves", "arm_curves_others", "forest", "cvar")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The result files of a sweep of three seeds."""
    return write_sweep(tmp_path_factory.mktemp("results") / "sweep", simulated_sweep(seeds=range(3)))


def test_every_figure_has_its_table_and_its_sentence(folder, tmp_path, capsys):
    assert main([str(folder), "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Case study of 3 seeds: ") and "written: " in said
    for name in FIGURES:
        picture = (tmp_path / f"{name}.png").read_bytes()
        assert b"case study" in picture
        assert len(list(csv.DictReader((tmp_path / f"{name}.csv").open()))) > 2


def test_results_go_beside_the_files_and_are_not_read_back(tmp_path):
    folder = write_sweep(tmp_path, simulated_sweep(arms=("closed_loop", "static"), seeds=(0,)))
    assert main([str(folder)]) == 0
    assert main([str(folder)]) == 0
    assert (folder / "contrasts" / "findings.md").is_file()


def test_a_page_is_filled_between_its_marks_and_nowhere_else(tmp_path, capsys):
    folder = write_sweep(tmp_path / "sweep", simulated_sweep(arms=("closed_loop", "static"), seeds=(0,)))
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert main([str(folder), "--page", str(page)]) == 0
    once = page.read_text()
    assert once.startswith(f"before\n{BEGIN}\n\nCase study of 1 seed: ") and once.endswith(
        f"\n\n{END}\nafter\n"
    )
    assert "old" not in once
    assert main([str(folder), "--page", str(page)]) == 0 and page.read_text() == once
    page.write_text("no marks")
    assert main([str(folder), "--page", str(page)]) == 2
    assert "has no place for findings; put one line" in capsys.readouterr().err
    assert page.read_text() == "no marks" and not list(tmp_path.glob(".*.part"))


def test_wrong_use_is_one_line_and_exit_code_2(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "holds no result files; run a sweep first" in said
    (tmp_path / "a.json").write_text("{}")
    assert main([str(tmp_path)]) == 2
    assert "a.json is not a result file of schema 1" in capsys.readouterr().err
    other = simulated_result("static", 0).replace(result_schema=2)
    (tmp_path / "a.json").write_text(other.model_dump_json())
    assert main([str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "a.json has result schema 2, this version reads schema 1; analyse it with the version that" in said
    assert said.count("\n") == 1


def test_curves_start_at_the_warm_start_and_end_where_all_seeds_are():
    runs = [simulated_result("closed_loop", seed) for seed in range(3)]
    short = runs[2].replace(updates=40, curve=runs[2].curve[:3])
    curve = curve_of_arm([*runs[:2], short], "updates")
    assert curve.spent.tolist() == [0, 20, 40] and curve.all_pass[0] == 0 and curve.seeds == 3
    gains = [run.curve[1].all_pass - run.curve[0].all_pass for run in runs]
    assert curve.all_pass[1] == pytest.approx(np.mean(gains))
    assert curve.all_pass_se[1] == pytest.approx(np.std(gains, ddof=1) / 3**0.5)


def test_an_extension_lengthens_the_charged_axis_alone():
    static = [simulated_result("static", 0)]
    assert curve_of_arm(static, "updates").spent[-1] == 60
    assert curve_of_arm(static, "charged_steps").spent[-1] == 18_000


def test_one_validation_makes_no_curve():
    lone = simulated_result("static", 0)
    assert curve_of_arm([lone.replace(curve=lone.curve[:1])], "updates") is None


def test_the_tail_ends_in_the_mean_of_all_tasks():
    sweep = as_sweep("s", simulated_sweep(arms=("closed_loop", "static"), seeds=range(2)))
    warm, loop, _ = tails(sweep, ("closed_loop", "static"))
    assert SHARES[-1] == 1.0 and warm.arm == "warm start" and loop.seeds == 2
    means = [np.mean([t.final_sampled.rate for t in run.tasks]) for run in sweep.of("closed_loop")]
    assert loop.heights[-1] == pytest.approx(np.mean(means))
    assert loop.heights[1] < loop.heights[-1]


def test_the_page_on_evaluation_has_a_place_for_findings_and_the_power_that_is_computed():
    page = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    assert page.count(BEGIN) == page.count(END) == 1
    rows = re.findall(r"^\| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", page, flags=re.MULTILINE)
    assert len(rows) == 3
    for seeds, *shown in rows[:2]:  # twenty seeds are tested by Monte Carlo, which takes a second each
        for gain, share in zip((2.0, 3.0, 5.0), shown, strict=True):
            assert power(int(seeds), 2.83, gain) == pytest.approx(float(share), abs=0.03)


def test_every_figure_that_the_page_names_is_written(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (results|runs) \|", page, flags=re.MULTILINE)
    folder = write_sweep(tmp_path / "results", covered_results())
    assert main([str(folder), "--out", str(tmp_path)]) == 0
    run = WithheldRun(tmp_path / "run", create=0.5).write()
    write_comparison([open_run(run)], tmp_path)
    assert len(rows) == 11
    assert all(
        (tmp_path / f"{name}.png").is_file() and (tmp_path / f"{name}.csv").is_file() for name, _ in rows
    )


def test_every_measure_of_the_verdict_is_described():
    page = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    for words in ("targeted cells", "other cells", "worst tenth of tasks", "interquartile mean of families"):
        assert any(words in measure.title for measure in MEASURES) and f"| {words} |" in page
