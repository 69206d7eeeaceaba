"""The fixed corpus: no growth."""

from loop.curricula.growers.counting import CountingBriefs
from loop.curricula.protocols import Ask, GrowthRequest


class NoGrower(CountingBriefs):
    """The fixed corpus."""

    reads_report = False

    def briefs(self, request: GrowthRequest) -> list[Ask]:
        """None, ever."""
        return []
