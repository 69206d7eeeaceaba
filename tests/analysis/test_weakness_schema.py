"""The shipped schema is that of the record, and reports fit it."""

import importlib.resources
import json

import jsonschema

from analysis.weakness import WeaknessReport, weakness_report
from analysis.weakness.record import Cell
from analysis.weakness.schema import main, schema_text
from tests.analysis.simulated_probes import simulate, skills

SHIPPED = importlib.resources.files("analysis.weakness") / "weakness.schema.json"


def test_the_shipped_schema_is_that_of_the_record(capsys):
    assert SHIPPED.read_text(encoding="utf-8") == schema_text()
    assert main([]) == 0
    assert capsys.readouterr().out == schema_text()


def test_a_stored_report_fits_the_schema_and_a_changed_one_does_not():
    report = weakness_report(simulate(skills(["update_a", "update_b", "update_c"], {"update_a"}), tasks=30))
    stored = json.loads(report.model_dump_json())
    checker = jsonschema.Draft202012Validator(json.loads(schema_text()))
    assert checker.is_valid(stored)
    assert not checker.is_valid(stored | {"cells": [stored["cells"][0] | {"rate": "high"}]})
    assert not checker.is_valid(stored | {"verdict": "good"})


def test_every_field_is_described():
    for record in (Cell, WeaknessReport):
        described = {name for name, field in record.model_fields.items() if field.description}
        assert set(record.model_fields) - described <= {"episodes", "tasks", "worlds", "cells"}
