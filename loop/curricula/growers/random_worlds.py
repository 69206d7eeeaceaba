"""Random worlds: new ones that aim at nothing that was measured. Other growers explore in the same way."""

from collections.abc import Sequence

from loop.curricula.growers.counting import CountingBriefs
from loop.curricula.protocols import Ask, GrowthRequest
from loop.curricula.targeting import aimed_at_random
from planet.records.world import Brief


class RandomWorldsGrower(CountingBriefs):
    """New worlds whose cells are drawn from the training generator: is it *new* or *targeted*?"""

    reads_report = False

    def briefs(self, request: GrowthRequest) -> list[Ask]:
        """One brief per scenario, aimed at random."""
        asks = aimed_then_exploring([], request)
        self.count(0, len(asks))
        return asks


def aimed_then_exploring(targeted: Sequence[Brief], request: GrowthRequest) -> list[Ask]:
    """Targeted briefs for the first scenarios, and briefs aimed at random for the rest."""
    rest = request.scenarios[len(targeted) :]
    explore = aimed_at_random(rest, request.train_tasks, request.targeting, request.avoid, request.seed)
    return [Ask(b, aimed=True) for b in targeted] + [Ask(b, aimed=False) for b in explore]
