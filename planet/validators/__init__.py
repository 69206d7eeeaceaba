"""Twelve structural validators. All always run; a world is admitted only if all pass.

Each is a pure function `World, WorldKey -> list[Violation]` that names the link at fault. One whose
precondition failed (no tables, so no rows) reports *not checked*: neither fired nor passed.
"""

from planet.validators.report import Status, ValidationReport, Violation
from planet.validators.suite import VALIDATORS, validate

__all__ = ["VALIDATORS", "Status", "ValidationReport", "Violation", "validate"]
