"""Plays episodes with a model behind an interface, many at a time.

Whatever the model or its endpoint does becomes data: a tool error that the model can read, another request,
a counted failure, or an episode that is *unplayed*, which is no failure of the policy and has no reward.
Answers are kept by the content of their request, so the same episodes again cost nothing, and what was
stopped goes on from there.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from loop.learning.api.askers import Askers
from loop.learning.api.episode import ApiRollout, Episode
from loop.learning.api.settings import ApiSettings
from loop.learning.learner import Request
from planet.errors import AuthorUnavailable, BudgetSpent, PlanetError, TurnedDown
from planet.language_model.address import answer_name
from planet.language_model.answer import Answer, AnswerCache
from planet.language_model.budget import Budget
from planet.language_model.endpoint import Request as Question
from planet.language_model.endpoint import ask

PATIENCE = 3
"""Requests in a row that may stay without an answer, retries apart, before no other one is sent."""


class Unplayed(NamedTuple):
    """An episode that was not played to its end, and why. Its session is free for another one."""

    reason: str
    session: Any  # what its request opened


class Player:
    """A model that plays. `budget.spent` is what it was charged; answers from the cache are not charged."""

    def __init__(self, settings: ApiSettings, seed: int, max_unreadable: int) -> None:
        self.settings, self.seed, self.max_unreadable = settings, seed, max_unreadable
        self.budget = Budget(settings.budget, settings.who)
        self.cache = AnswerCache(Path(settings.answers)) if settings.answers else None
        self.endpoint = ask
        self.answered = False  # some answer came: model, address and key are right
        self.closed: str | None = None  # why no request is sent any more; None: they are
        self._silent = 0  # requests without an answer since the last one

    def play(
        self, requests: Sequence[Request], temperature: float | None
    ) -> Iterator[tuple[int, ApiRollout | Unplayed]]:
        """(place of the request, what became of it), in the order in which episodes end.

        temperature: None is the model's own. Sessions are opened and used in the caller's thread.
        """
        waiting = deque(enumerate(requests))
        playing: dict[int, Episode] = {}
        askers: Askers[Question, Answer] = Askers(self._answer, self.settings.concurrency)
        try:
            while waiting or playing:
                while waiting and len(playing) < self.settings.concurrency:
                    index, request = waiting.popleft()
                    playing[index] = Episode(index, request, self.settings, self.max_unreadable)
                    askers.ask(index, playing[index].question(self.seed, temperature))
                index, heard = askers.hear()
                outcome = self._outcome(playing[index], heard)
                if outcome is None:
                    askers.ask(index, playing[index].question(self.seed, temperature))
                else:
                    del playing[index]
                    yield index, outcome
        finally:
            askers.close()

    def _answer(self, question: Question) -> Answer:
        """From the cache, or asked for and then kept there. Runs in the askers' threads."""
        name = answer_name(question, self.settings)
        found = self.cache.find(name) if self.cache else None
        if found is not None:
            return found
        if self.closed is not None:
            raise AuthorUnavailable(self.closed)
        answer = self.endpoint(question, self.settings, self.budget)
        if self.cache and answer.whole:
            self.cache.keep(name, answer)
        return answer

    def _outcome(self, episode: Episode, heard: Answer | Exception) -> ApiRollout | Unplayed | None:
        """What an answer makes of an episode; None while it goes on."""
        if isinstance(heard, Answer):
            self.answered, self._silent = True, 0
            return episode.hear(heard)
        if isinstance(heard, TurnedDown) and self.answered:
            return episode.turned_down(heard)
        if not isinstance(heard, PlanetError):
            raise heard  # a fault of this program
        return Unplayed(self._missed(heard), episode.session)

    def _missed(self, error: PlanetError) -> str:
        """Why there is no answer; decides whether others are asked for.

        A spent budget needs no decision: it sends nothing by itself. A request that is declined before any
        other was answered says more of the model than of the episode.
        """
        if isinstance(error, BudgetSpent):
            return str(error)
        told = str(error)
        if isinstance(error, TurnedDown):
            told = f"{self.settings.who}: {told}; see whether the model takes function calls, or name another"
        self._silent += 1
        hopeless = not self.answered or self._silent >= PATIENCE or not isinstance(error, AuthorUnavailable)
        if hopeless and self.closed is None:
            self.closed = told
        return self.closed or told
