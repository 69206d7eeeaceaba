"""One episode that a model plays: its chat, its session, and what it cost."""

from typing import Any, NamedTuple

import numpy as np

from loop.learning.api.conversation import Message, functions, opening, reply, turn_of
from loop.learning.api.reading import Move, read
from loop.learning.api.settings import ApiSettings
from loop.learning.learner import Request
from planet.author.artifacts import AuthorCost
from planet.errors import TurnedDown
from planet.identity import seed_of
from planet.language_model.answer import Answer
from planet.records.episode import Ended, Trajectory


class ApiTokens(NamedTuple):
    """Tokens that the endpoint counted; which ones they were stays with it."""

    sampled: np.ndarray  # [t] bool: all true, one per token of the model's messages


class ApiRollout(NamedTuple):
    """A finished episode. Its session stays open for grading."""

    request_name: str
    trajectory: Trajectory
    session: Any
    tokens: ApiTokens
    cost: AuthorCost  # of its messages, those from the cache at what they once cost
    unreadable: int  # messages without a call that could be read, and without an answer
    refused: bool  # the model declined
    turned_down: str | None  # why the endpoint declined a request of it; None: it did not


class Episode:
    """An episode that is being played. `index` is its request's place."""

    def __init__(self, index: int, request: Request, settings: ApiSettings, max_unreadable: int) -> None:
        self.index, self.wanted, self.settings = index, request, settings
        self.session = request.open()
        self.max_unreadable = max_unreadable
        self.messages: list[Message] = opening(request.view, self.session.turns_left)
        self.turn = 0  # messages of the model so far
        self.unreadable = 0
        self.cost = AuthorCost()

    def question(self, seed: int, temperature: float | None) -> dict[str, Any]:
        """What is asked of the endpoint next: all that the answer follows from."""
        asked = {
            "model": self.settings.model,
            "messages": list(self.messages),
            "tools": functions(self.wanted.view),
            "max_tokens": self.settings.max_tokens,
            "seed": seed_of(seed, "policy", self.wanted.name, self.turn) % 2**31,
            "temperature": temperature,
            "api_base": self.settings.api_base,
        }
        return {key: value for key, value in asked.items() if value is not None}

    def hear(self, answer: Answer) -> ApiRollout | None:
        """Do what a message says; the rollout when the episode is over."""
        self.cost += answer.cost
        move = read(answer)
        if move.answer is not None:
            return self._over(self.session.finish(move.answer, "answer"), refused=move.refused)
        self._act(answer, move)
        self.turn += 1
        if all(call.tool is None for call in move.calls):
            self.unreadable += 1
            if self.unreadable >= self.max_unreadable:
                return self._over(self.session.finish(None, "unreadable"))
        if self.session.turns_left <= 0:
            return self._over(self.session.finish(None, "turn_limit"))
        return None

    def turned_down(self, error: TurnedDown) -> ApiRollout:
        """End the episode because the endpoint declines its next request: the policy cannot go on."""
        ended: Ended = "token_limit" if error.too_long else "unreadable"
        return self._over(self.session.finish(None, ended), turned_down=str(error))

    def _act(self, answer: Answer, move: Move) -> None:
        """Execute the calls in order, as many as the episode may still make."""
        self.messages.append(turn_of(answer, move.calls, self.turn))
        for number, call in enumerate(move.calls):
            if self.session.turns_left <= 0:
                return  # the episode is over, so nobody reads the replies that are missing
            result = self.session.call(call.tool, call.arguments)
            self.messages.append(reply(answer, result, self.turn, number))

    def _over(
        self, trajectory: Trajectory, refused: bool = False, turned_down: str | None = None
    ) -> ApiRollout:
        return ApiRollout(
            request_name=self.wanted.name,
            trajectory=trajectory,
            session=self.session,
            tokens=ApiTokens(np.ones(self.cost.tokens_out, bool)),
            cost=self.cost,
            unreadable=self.unreadable,
            refused=refused,
            turned_down=turned_down,
        )
