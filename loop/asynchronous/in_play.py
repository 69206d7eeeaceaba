"""One group between its submission and the update that takes it, and its form in a checkpoint."""

from dataclasses import asdict, dataclass, field
from typing import Any

from loop.episodes.playing import Played, Wanted
from loop.learning.in_play import InPlay
from planet.records.episode import Grade
from planet.world.session import Session


@dataclass(frozen=True)
class Prompt:
    """Which task is played, and where it was asked for; the names of its episodes follow."""

    task_id: str
    step: int  # controller step in which it was submitted
    place: int  # among the prompts of that step, from 0
    replaces: bool  # a group that was dropped; it is not replaced itself


@dataclass
class GroupInPlay:
    """A group that no update has taken yet."""

    prompt: Prompt
    wanted: tuple[Wanted, ...]
    numbers: list[int]  # of its episodes, where they are played
    played: dict[int, Played] = field(default_factory=dict)  # member -> its graded episode
    sessions: dict[int, Session] = field(default_factory=dict)  # member -> where it is being played
    oldest: int | None = None  # version among its sampled tokens; None: no member has ended
    charged: int = 0  # calls that earlier steps were charged

    @property
    def id(self) -> str:
        """Its name in the ledger."""
        return self.wanted[0].group_id or ""

    @property
    def order(self) -> tuple[int, int]:
        """Its place in the order of submission."""
        return self.prompt.step, self.prompt.place

    @property
    def complete(self) -> bool:
        """All of its members have ended."""
        return len(self.played) == len(self.wanted)

    @property
    def calls(self) -> int:
        """Calls that its members have executed, those still in progress included."""
        return sum(p.steps for p in self.played.values()) + sum(s.steps for s in self.sessions.values())

    def ended(self, member: int, played: Played, oldest: int) -> None:
        """A member has ended; `oldest` version among its sampled tokens."""
        del self.sessions[member]
        self.played[member] = played
        self.oldest = oldest if self.oldest is None else min(self.oldest, oldest)

    @property
    def members(self) -> tuple[Played, ...]:
        """Its graded episodes in their order, once it is complete."""
        return tuple(self.played[member] for member in range(len(self.wanted)))


def stored(group: GroupInPlay, episodes: InPlay) -> dict[str, Any]:
    """A group as JSON values; what its unfinished members said is stored with the episodes in progress."""
    return {
        **asdict(group.prompt),
        "numbers": group.numbers,
        "oldest": group.oldest,
        "charged": group.charged,
        "played": [
            {
                "member": member,
                "rollout": episodes.keep(played.rollout),
                "grade": played.grade.model_dump(mode="json"),
                "steps": played.steps,
                "version": played.version,
            }
            for member, played in sorted(group.played.items())
        ],
    }


def restored(state: dict[str, Any], wanted: tuple[Wanted, ...], episodes: InPlay) -> GroupInPlay:
    """A group as it was stored."""
    played = {
        kept["member"]: Played(
            wanted=wanted[kept["member"]],
            rollout=episodes.kept(kept["rollout"]),
            grade=Grade.model_validate(kept["grade"]),
            steps=kept["steps"],
            version=kept["version"],
        )
        for kept in state["played"]
    }
    return GroupInPlay(
        prompt_of(state),
        wanted,
        list(state["numbers"]),
        played,
        oldest=state["oldest"],
        charged=state["charged"],
    )


def prompt_of(state: dict[str, Any]) -> Prompt:
    """The prompt of a stored group."""
    return Prompt(state["task_id"], state["step"], state["place"], state["replaces"])
