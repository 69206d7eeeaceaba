"""Models without a wire: an endpoint that answers in process, and the toy world as an environment."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from loop.episodes.playing import Wanted, repeated, request_for
from loop.learning.api.demonstrator import ApiDemonstrator
from loop.learning.api.episode import ApiRollout
from loop.learning.api.learner import ApiLearner
from loop.learning.api.player import Player, Unplayed
from loop.learning.api.settings import ApiSettings
from loop.learning.demonstrations import Demonstrated
from loop.worlds.pool import Environment
from loop.worlds.sessions import SessionPool
from planet.language_model.answer import Answer, SaidCall
from planet.language_model.budget import Budget
from planet.language_model.endpoint import Request
from policy.config import PolicyConfig
from tests.loop.api_replies import oracle, said_so_far, task_asked
from tests.planet.toy_tasks import toy_task, vip_task
from tests.planet.worlds import toy_world

Line = Callable[[Request], Answer]


def said(*calls: tuple[str, str], text: str = "", **more: Any) -> Answer:
    """A message of the model: 100 tokens in, 20 out, and a ten-thousandth of a dollar."""
    fields: dict[str, Any] = {
        "text": text,
        "characters": len(text),
        "calls": tuple(SaidCall(name=name, arguments=arguments) for name, arguments in calls),
        "finish": "stop",
        "tokens_in": 100,
        "tokens_out": 20,
        "dollars": 0.0001,
    }
    return Answer(**(fields | more))


class Endpoint:
    """Says `line(request)`, or raises what it raises; notes how many requests were on their way at a time."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.requests: list[Request] = []
        self.most = self._now = 0
        self._lock = Lock()

    def __call__(self, request: Request, settings: Any, budget: Budget) -> Answer:
        budget.request()
        with self._lock:
            self.requests.append(request)
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            answer = self.line(request)
        finally:
            with self._lock:
                self._now -= 1
        budget.pay(answer.cost)
        return answer


def player(line: Line, **settings: Any) -> Player:
    """A model that says `line(request)`; nothing is kept unless `answers` names a folder."""
    made = Player(ApiSettings(**{"model": "scripted", "answers": None, **settings}), seed=0, max_unreadable=2)
    made.endpoint = Endpoint(line)
    return made


def toy_environment() -> Environment:
    """The toy world with two tasks: a plain update, and one with a rule at stake."""
    world, key = toy_world()
    return Environment(world, key, (toy_task(world), vip_task(world)), origin="test")


def toy_wanted(rollouts: int = 1) -> list[Wanted]:
    """Both toy tasks, so many times each."""
    return repeated([toy_environment()], rollouts, "evaluate", "evaluate")


def played(made: Player, wanted: list[Wanted], turns: int = 8) -> dict[int, ApiRollout | Unplayed]:
    """Place -> what became of the episode."""
    sessions = SessionPool(turns)
    return dict(made.play([request_for(w, sessions) for w in wanted], None))


def episode(line: Line, turns: int = 8, **settings: Any) -> ApiRollout:
    """The first toy task, played."""
    found = played(player(line, **settings), toy_wanted()[:1], turns)[0]
    assert isinstance(found, ApiRollout), found
    return found


def scripted_learner(config: PolicyConfig, seed: int) -> ApiLearner:
    """A learner of a run whose model looks at the policy pages once and says that it is done."""
    made = ApiLearner("scripted", config, seed, answers=None)
    look = said(("search_documents", '{"query": "policy"}'))
    made.player.endpoint = Endpoint(lambda request: said(text="done") if said_so_far(request) else look)
    return made


class OracleOfAModel:
    """A demonstrator of a run whose model solves the tasks of `families`, and no others."""

    def __init__(self, config: PolicyConfig, seed: int, families: tuple[str, ...]) -> None:
        self.made = ApiDemonstrator("scripted", config, seed, tasks=10_000, answers=None)
        self.families = families

    def demonstrate(self, foundation: Sequence[Environment], *given: Any) -> Demonstrated:
        """What `ApiDemonstrator` makes of it."""
        tasks = [task for e in foundation for task in e.tasks]
        solves = oracle(tasks)

        def line(request: Request) -> Answer:
            if task_asked(tasks, request).key.facets.family not in self.families:
                return said(text="done")
            reply = solves(request)
            return said(*reply.calls, text=reply.content or "")

        self.made.player.endpoint = Endpoint(line)
        return self.made.demonstrate(foundation, *given)
