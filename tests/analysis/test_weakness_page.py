"""docs/weakness.md describes what is: every field, every default, and code that runs."""

import re
from pathlib import Path

from analysis.weakness import Rules, Watch, WeaknessReport
from analysis.weakness.planted.study import SAMPLES, SETTINGS, TOOLS, WEAK
from analysis.weakness.rate_intervals import DRAWS
from analysis.weakness.record import CONTRAST, COVERAGE, Cell
from tests.analysis.simulated_probes import simulate, skills

PAGE = (Path(__file__).parents[2] / "docs" / "weakness.md").read_text(encoding="utf-8")
PLAIN = {"facet", "value", "tasks", "worlds", "episodes", "all_pass", "raw_reward", "cells"}
"""Fields that say what they are."""


def test_every_field_of_a_cell_and_of_a_report_is_explained():
    named = set(re.findall(r"`(\w+)`", PAGE))
    elsewhere = {"unattributed", "confidence"}  # docs/metrics.md, and the bound's 95 %
    assert (set(Cell.model_fields) | set(WeaknessReport.model_fields)) - named <= PLAIN | elsewhere


def test_numbers_of_the_text_are_the_defaults():
    rules, watch = Rules(), Watch()
    assert (rules.margin, rules.false_discovery_rate, rules.abstention_level) == (1.5, 0.1, 0.1)
    assert f"shuffled {rules.permutations:,} times" in " ".join(PAGE.split())
    assert f"({DRAWS:,} draws)" in PAGE
    assert (watch.mastered, watch.lost, watch.opportunities) == (0.3, 0.3, 16)
    assert f"coverage ≥ {COVERAGE:.2f} and contrast ≥ {CONTRAST:.2f}" in PAGE


def test_the_tables_have_the_rows_of_the_study():
    assert (TOOLS, WEAK) == (40, 5)
    for worlds, rollouts in SAMPLES:
        assert PAGE.count(f"| {worlds} × 10 × {rollouts} |") == len(SETTINGS)


def test_the_code_of_the_page_runs():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    episodes = simulate(skills(["update_a", "update_b", "update_c"], {"update_a"}), tasks=10)
    names = {"episodes": episodes, "last": None}
    exec(code, names)
    assert names["report"].cell("family:two_hop") is None
    assert names["report"].cell("family:update").gradient_share == 0.0
