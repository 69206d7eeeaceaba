"""A language model without a wire: an endpoint that answers in process from a script."""

from collections.abc import Callable
from typing import Any

from planet.author.llm.author import LLMAuthor
from planet.author.llm.settings import Settings
from planet.language_model.answer import Answer
from planet.language_model.budget import Budget
from planet.language_model.endpoint import Request


def scripted(line: Callable[[Request], str], **settings: Any) -> LLMAuthor:
    """An author whose model says `line(request)`; 100 tokens in and 20 out a call, a dollar a million."""
    author = LLMAuthor("scripted", **{"answers": None, "dollars_per_million": (1.0, 1.0), **settings})
    author.endpoint = _Endpoint(line)
    return author


class _Endpoint:
    def __init__(self, line: Callable[[Request], str]) -> None:
        self.line = line
        self.requests: list[Request] = []

    def __call__(self, request: Request, settings: Settings, budget: Budget) -> Answer:
        budget.request()
        self.requests.append(request)
        text = self.line(request)
        answer = Answer(
            text=text[:200_001],
            characters=len(text),
            finish="stop",
            tokens_in=100,
            tokens_out=20,
            dollars=0.00012,  # 120 tokens at a dollar a million
        )
        budget.pay(answer.cost)
        return answer
