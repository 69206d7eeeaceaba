"""Task scaling: more tasks in the worlds that exist, as many as a growing arm gets with its new worlds.

The control that asks whether diversity has to be one of worlds, or one of tasks is enough.
"""

from loop.curricula.growers.counting import CountingBriefs
from loop.curricula.protocols import Ask, GrowthRequest, State
from planet.identity import stream


class TaskScalingGrower(CountingBriefs):
    """Asks for more tasks in worlds of the train split, in turn, so that all of them grow alike."""

    reads_report = False

    def __init__(self) -> None:
        super().__init__()
        self._turns = 0  # worlds asked so far, over all rounds

    def briefs(self, request: GrowthRequest) -> list[Ask]:
        """As many asks as there are scenarios, of which nothing else is used: the worlds have theirs."""
        worlds = sorted({task.world_id for task in request.train_tasks})
        asks = []
        for scenario in request.scenarios:
            turn, place = divmod(self._turns, len(worlds))
            order = stream("task scaling", turn, *worlds).sample(worlds, len(worlds))
            asks.append(Ask(scenario, aimed=False, world_id=order[place]))
            self._turns += 1
        self.count(0, len(asks))
        return asks

    def state_dict(self) -> State:
        """The counts, and whose turn it is."""
        return {**super().state_dict(), "turns": self._turns}

    def load_state_dict(self, state: State) -> None:
        """Take up a stored state."""
        super().load_state_dict(state)
        self._turns = state["turns"]
