"""docs/metrics.md describes what is: every table, view, field, mode and command, and none that is not."""

import importlib.util
import re
from pathlib import Path
from typing import get_args

from analysis.footprint.shares import DRAWS
from analysis.ledger.rows import ROW_TYPES
from analysis.ledger.views import VIEWS
from analysis.weakness.attribution import Mode
from analysis.weakness.report import Cell

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")


def listed(header):
    """First cells of the table whose header line begins with `header`, without their marks."""
    table = PAGE.split(f"| {header} |", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^\| `([^`]+)` \|", table, flags=re.MULTILINE)


def test_every_table_is_described_in_its_order():
    assert listed("table") == [row_type.table for row_type in ROW_TYPES]


def test_every_view_is_described():
    assert listed("view") == list(VIEWS)


def test_every_failure_mode_is_described():
    assert listed("mode") == list(get_args(Mode))


def test_described_fields_are_fields_of_a_cell():
    assert set(listed("field")) <= set(Cell.model_fields)


def test_every_command_exists():
    commands = re.findall(r"python -m (analysis\.\w+)", PAGE)
    assert len(set(commands)) == 7
    assert all(importlib.util.find_spec(name) for name in commands)


def test_the_number_of_monte_carlo_runs_is_the_default():
    assert f"({DRAWS} Monte Carlo runs" in PAGE
