"""What an evaluation will cost, before a model is asked: its tasks as their oracles play them."""

import json
from collections.abc import Sequence
from math import ceil

from loop.episodes.playing import Wanted
from loop.learning.api.conversation import functions, opening
from loop.learning.api.settings import ApiSettings
from planet.author.artifacts import AuthorCost
from planet.language_model.settings import CHARACTERS_PER_TOKEN
from planet.records.task import Task

OBSERVED = 100
"""Tokens of a call with its result, as the next message reads them again."""
SAID = 40
"""Tokens that a message of a call takes; a model that thinks aloud says many times that."""


def estimate(wanted: Sequence[Wanted], turns: int, settings: ApiSettings) -> AuthorCost:
    """Every episode as its oracle plays it, one call a message; dollars are 0.0 without a price."""
    total = AuthorCost()
    for task in (w.task for w in wanted):
        total += _episode(task, turns)
    return total.replace(dollars=settings.dollars(total.tokens_in, total.tokens_out))


def _episode(task: Task, turns: int) -> AuthorCost:
    text = json.dumps([opening(task.view, turns), functions(task.view)])
    first = ceil(len(text) / CHARACTERS_PER_TOKEN)
    calls = min(len(task.key.oracle), turns)
    messages = calls + 1
    read_again = OBSERVED * calls * (calls + 1) // 2
    return AuthorCost(calls=messages, tokens_in=messages * first + read_again, tokens_out=SAID * messages)


def tell_estimate(wanted: Sequence[Wanted], turns: int, settings: ApiSettings) -> list[str]:
    """The estimate and the caps as lines."""
    cost = estimate(wanted, turns, settings)
    priced = settings.dollars_per_million is not None
    price = f"{cost.dollars:,.4f} dollars" if priced else "dollars by LiteLLM's price list"
    caps = [f"{v:,.12g} {k}" for k, v in settings.budget.model_dump().items() if v is not None]
    return [
        f"model     {settings.model}, evaluated; it learns nothing",
        f"episodes  {len(wanted):,} of at most {turns} calls, {settings.concurrency} at a time",
        f"cost      about {cost.calls:,} messages, {cost.tokens_in:,} + {cost.tokens_out:,} tokens, {price}, "
        "if it solves every task without a detour",
        f"at most   {', '.join(caps) or 'no cap; give --budget-dollars, --budget-tokens or --budget-calls'}",
        f"answers   {settings.answers or 'not kept: a stopped command cannot go on'}",
    ]
