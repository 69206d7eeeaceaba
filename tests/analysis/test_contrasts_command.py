"""python -m analysis.contrasts: figures beside their tables, a light --help, one line for wrong use."""

import csv
import subprocess
import sys

import numpy as np
import pytest

from analysis.contrasts.__main__ import main
from analysis.contrasts.curves import curve_of_arm
from analysis.contrasts.sweep import as_sweep
from analysis.contrasts.worst_tasks import SHARES, tails
from tests.analysis.simulated_sweep import simulated_result, simulated_sweep, write_sweep

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
        assert b"case study" in picture or name == "cvar"
        assert len(list(csv.DictReader((tmp_path / f"{name}.csv").open()))) > 2


def test_results_go_beside_the_files_and_are_not_read_back(tmp_path):
    folder = write_sweep(tmp_path, simulated_sweep(arms=("closed_loop", "static"), seeds=(0,)))
    assert main([str(folder)]) == 0
    assert main([str(folder)]) == 0
    assert (folder / "contrasts" / "findings.md").is_file()


def test_help_loads_no_heavy_library():
    code = (
        "import sys, runpy\nsys.argv = ['x', '--help']\n"
        "try: runpy.run_module('analysis.contrasts', run_name='__main__')\n"
        "except SystemExit as end: assert end.code == 0\n"
        "assert not [m for m in ('numpy', 'scipy', 'matplotlib', 'sqlalchemy', 'jax') if m in sys.modules]"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: python -m analysis.contrasts")


def test_wrong_use_is_one_line_and_exit_code_2(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "holds no result files; run a sweep first" in said
    (tmp_path / "a.json").write_text("{}")
    assert main([str(tmp_path)]) == 2
    assert "a.json is not a result file of schema 1" in capsys.readouterr().err


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
