"""Groups: the rollouts of one prompt, once it is settled whether they are learned from."""

from dataclasses import dataclass

from loop.curricula.protocols import GroupOutcome
from loop.episodes.charging import steps_of
from loop.episodes.playing import Played
from loop.worlds.pool import listed


@dataclass(frozen=True)
class Group:
    """The graded rollouts of one prompt."""

    id: str
    members: tuple[Played, ...]
    admitted: bool  # it is learned from
    stale: bool = False  # it was not, because its policy was too old

    @property
    def steps(self) -> int:
        """Calls that its members executed."""
        return steps_of(self.members)

    def outcome(self) -> GroupOutcome:
        """What a curriculum learns of it."""
        first = self.members[0]
        task = listed(first.task, first.wanted.environment)
        return GroupOutcome(
            task_id=task.id,
            passes=sum(p.grade.all_pass for p in self.members),
            rollouts=len(self.members),
            admitted=self.admitted,
            mean_reward=sum(p.grade.reward for p in self.members) / len(self.members),
            steps=self.steps,
            cells=task.cells,
            rung=task.rung,
        )
