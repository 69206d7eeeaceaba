"""Which cells the groups with a gradient practised since the last report: its gradient shares."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from loop.curricula.protocols import GroupOutcome


class Practice:
    """Counts admitted groups by cell, over the updates of one iteration."""

    def __init__(self) -> None:
        self._iteration: int | None = None  # of the newest update; None: none yet, or after the iterations
        self._groups = 0
        self._cells: Counter[str] = Counter()

    def observe(self, iteration: int | None, outcomes: Sequence[GroupOutcome]) -> None:
        """Count the groups of an update; the first one of an iteration begins anew."""
        if iteration != self._iteration:
            self._iteration, self._groups, self._cells = iteration, 0, Counter()
        for outcome in outcomes:
            if outcome.admitted:
                self._groups += 1
                self._cells.update(outcome.cells)

    def shares(self) -> dict[str, float] | None:
        """Cell -> share of the groups that required it; None while no group had a gradient."""
        if not self._groups:
            return None
        return {cell: count / self._groups for cell, count in sorted(self._cells.items())}

    def state_dict(self) -> dict[str, Any]:
        """The counts, as JSON values."""
        return {
            "iteration": self._iteration,
            "groups": self._groups,
            "cells": dict(sorted(self._cells.items())),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up stored counts."""
        self._iteration, self._groups = state["iteration"], state["groups"]
        self._cells = Counter(state["cells"])
