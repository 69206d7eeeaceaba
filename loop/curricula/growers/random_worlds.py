"""Random worlds: new ones that aim at nothing that was measured. Other growers explore in the same way."""

from loop.curricula.growers.counting import CountingBriefs
from loop.curricula.protocols import Ask, GrowthRequest


class RandomWorldsGrower(CountingBriefs):
    """New worlds whose cells are drawn from the training generator: is it *new* or *targeted*?"""

    reads_report = False

    def briefs(self, request: GrowthRequest) -> list[Ask]:
        """One brief per scenario, aimed at random."""
        return self.aimed_then_exploring([], request)
