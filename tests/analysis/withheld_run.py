"""A simulated run whose warm start withheld a family, and whose briefs ask for two difficulties in turn."""

from analysis.ledger import BriefRow, RunRow
from tests.analysis.simulated_run import SimulatedRun

NEVER = 10**9
"""A policy version that no run comes to."""


class WithheldRun(SimulatedRun):
    """An agent that passes everything but two_hop, and that from version `learned` to before `forgotten`."""

    def __init__(self, path, *, learned=3, forgotten=NEVER, without=("two_hop",), create=1.0, **others):
        super().__init__(path, **others)
        self.learned, self.forgotten, self.without, self.create = learned, forgotten, without, create

    def skill(self, family, version):
        if family == "two_hop":
            return float(self.learned <= version < self.forgotten)
        return self.create if family == "create" else 1.0

    def _run_row(self):
        with self.ledger.transaction() as tx:
            tx.add(
                RunRow(
                    run_id=self.run_id,
                    name="sim",
                    arm=self.arm,
                    seed=self.seed,
                    config_digest="0",
                    config={"coverage": {"exponent": 0.0, "without": list(self.without)}},
                )
            )

    def _end(self, kind, iteration, rows):
        super()._end(kind, iteration, [_asked(row, iteration) for row in rows])


def _asked(row, iteration):
    """The row; a brief of an even iteration asks for one column, of an odd one for two."""
    if not isinstance(row, BriefRow):
        return row
    target = {**row.brief["target"], "difficulty": {"columns": 1 + iteration % 2}}
    return row.replace(brief={**row.brief, "target": target})
