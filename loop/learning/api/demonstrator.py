"""Demonstrations by a model behind an interface: its solved episodes of foundation tasks."""

from collections.abc import Sequence
from dataclasses import replace

from loop.config import Coverage
from loop.episodes.playing import Played, graded, repeated, request_for
from loop.errors import ConfigError, RunError
from loop.learning.api.player import Player, Unplayed
from loop.learning.api.settings import ANSWERS, api_settings
from loop.learning.demonstrations import ANSWER, Demonstrated, drawn
from loop.learning.learner import Shown
from loop.worlds.pool import Environment
from loop.worlds.sessions import SessionPool
from loop.worlds.spread import spread
from policy.config import PolicyConfig


class ApiDemonstrator:
    """Plays some foundation tasks, and shows those that it solved.

    A demonstration has the calls that succeeded, since only these changed anything, and ends as the oracles'
    do. A family of which nothing was solved is not shown.
    """

    def __init__(
        self,
        model: str,
        config: PolicyConfig,
        seed: int,
        tasks: int = 200,
        tries: int = 1,
        temperature: float | None = None,
        max_tokens: int = 4_096,
        timeout: float = 120.0,
        retries: int = 4,
        first_wait: float = 1.0,
        api_base: str | None = None,
        api_key_env: str | None = None,
        answers: str | None = ANSWERS,
        budget: dict[str, float] | None = None,
        dollars_per_million: tuple[float, float] | None = None,
        concurrency: int = 8,
    ) -> None:
        """`tasks`: of the foundation, at most; `tries`: of each; `temperature` None: the model's own.

        The others are those of `loop.learning.api.settings`.
        """
        own = ("self", "config", "seed", "tasks", "tries", "temperature")
        fields = {k: v for k, v in locals().items() if k not in (*own, "own")}
        settings = api_settings("demonstrations", {**fields, "budget": budget or {}})
        for name, value in (("tasks", tasks), ("tries", tries)):
            if value < 1:
                raise ConfigError(f"demonstrations.{name}: {value} is not allowed; give at least 1")
        self.tasks, self.tries, self.temperature = tasks, tries, temperature
        self.seed = seed
        self.player = Player(settings, seed, config.rollout.max_unreadable)

    def demonstrate(
        self,
        foundation: Sequence[Environment],
        coverage: Coverage,
        seed: int,
        count: int,
        sessions: SessionPool,
    ) -> Demonstrated:
        """`count` draws of solved tasks; RunError when none was solved, or the model could not be asked."""
        chosen = spread(foundation, self.tasks, seed)
        episodes = self._play(chosen, sessions)
        solved = shown_of(episodes)
        if not solved:
            raise RunError(
                f"demonstrations: {self.player.settings.model} solved none of {len(episodes)} episodes; "
                "take another model, or the oracle"
            )
        known = [replace(e, tasks=tuple(t for t in e.tasks if t.id in solved)) for e in chosen]
        shown, shares = drawn(known, coverage, seed, count, lambda environment, task: solved[task.id])
        return Demonstrated(shown, shares, sum(episode.steps for episode in episodes))

    def _play(self, environments: Sequence[Environment], sessions: SessionPool) -> list[Played]:
        wanted = repeated(environments, self.tries, "demonstrate", "demonstrate")
        requests = [request_for(w, sessions) for w in wanted]
        played: dict[int, Played] = {}
        for place, outcome in self.player.play(requests, self.temperature):
            if isinstance(outcome, Unplayed):
                raise RunError(f"demonstrations: {outcome.reason}; what was answered is kept for --resume")
            played[place] = graded(wanted[place], outcome, sessions, version=0)
        return [played[place] for place in sorted(played)]


def shown_of(episodes: Sequence[Played]) -> dict[str, Shown]:
    """Task id -> its shortest solved episode, the first of equals, without the calls that failed."""
    found: dict[str, Shown] = {}
    for episode in episodes:
        if not episode.grade.all_pass:
            continue
        made = tuple(call for call in episode.trajectory.calls if call.error is None)
        best = found.get(episode.task.id)
        if best is None or len(made) < len(best.trajectory.calls):
            trajectory = episode.trajectory.replace(calls=made, answer=ANSWER, ended="answer")
            found[episode.task.id] = Shown(episode.task.view, trajectory)
    return found
