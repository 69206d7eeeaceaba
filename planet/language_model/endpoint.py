"""One request to a model through LiteLLM, tried again while the endpoint is busy, broken or silent.

This is the one place that sees the library's exceptions. A request that the endpoint turns down (too long for
the model, caught by a filter) is TurnedDown; an endpoint that cannot be used is AuthorUnavailable. Nothing is
sent anywhere but to the endpoint.
"""

import os
import re
import time
from math import isfinite
from typing import Any

from planet.errors import AuthorUnavailable, TurnedDown
from planet.identity import canonical_json
from planet.language_model.answer import LONGEST_ANSWER, MOST_CALLS, Answer, SaidCall
from planet.language_model.budget import Budget
from planet.language_model.redaction import redact
from planet.language_model.settings import Reach

LONGEST_WAIT = 60.0
"""Seconds between two requests, whatever the endpoint asks for."""
_USUAL = (8_000, 500)
"""Tokens in and out by which a price is looked up: of one question of an author, below any other price for
long prompts."""
_PASSING = (408, 409, 425, 429)
_TURNED_DOWN = (400, 413, 422)
"""States of a request that another one to the same model may not meet."""
_TOO_LONG = "ContextWindowExceededError"
"""LiteLLM's name for a request that is longer than its model reads."""
_WITHOUT_KEY = re.compile("missing credentials|api_key client option", re.IGNORECASE)
"""What clients say of a key that was never given; LiteLLM reports it as a broken server."""
_PREFIX = re.compile(r"^((litellm\.)?\w*(Error|Exception|Timeout)( -|:) )+")

Request = dict[str, Any]
"""Model, messages, tools and parameters, as JSON: what an answer follows from."""


def ask(request: Request, settings: Reach, budget: Budget) -> Answer:
    """The answer to `request`; BudgetSpent, TurnedDown or AuthorUnavailable when there is none."""
    library = _library()
    _check_provider(library, settings)
    _check_price(library, settings)
    manner = _manner(settings)  # outside of the boundary: a key that is missing does not pass
    problem = ""
    for number in range(settings.retries + 1):
        budget.request()
        try:
            response = library.completion(**request, **manner)
        except Exception as error:  # the boundary: LiteLLM raises errors of a dozen libraries
            problem = _one_line(error, settings)
            if getattr(error, "status_code", None) in _TURNED_DOWN:
                told = f"the endpoint turns the request down: {problem}"
                raise TurnedDown(told, too_long=type(error).__name__ == _TOO_LONG) from None
            if not _passes(error):
                raise AuthorUnavailable(_unusable(settings, problem)) from None
            if number < settings.retries:
                time.sleep(_wait(error, settings.first_wait * 2**number))
            continue
        answer = _answer(library, response, settings)
        budget.pay(answer.cost)
        return answer
    raise AuthorUnavailable(
        f"{settings.who} gave no answer in {settings.retries + 1} requests (the last: {problem}); "
        "see whether its endpoint is up, or raise timeout and retries"
    )


def _library() -> Any:
    """LiteLLM without its outside traffic and its advertisements."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or it downloads a price list on import
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    return litellm


def _check_provider(library: Any, settings: Reach) -> None:
    try:
        library.get_llm_provider(settings.model, api_base=settings.api_base)
    except library.exceptions.BadRequestError:
        raise AuthorUnavailable(
            f"{settings.who}: LiteLLM knows no provider of that name; write it before the model, "
            "e.g. openai/gpt-4o, also for an endpoint of your own"
        ) from None


def _manner(settings: Reach) -> dict[str, Any]:
    """How the request is sent; what is asked does not depend on it."""
    manner: dict[str, Any] = {
        "timeout": settings.timeout,
        "num_retries": 0,
        "max_retries": 0,
        "drop_params": True,  # what the model's endpoint does not know is left out
    }
    if settings.api_key_env:
        key = os.environ.get(settings.api_key_env)
        if not key:
            raise AuthorUnavailable(
                f"{settings.who}: environment variable {settings.api_key_env} is not set; put the key there"
            )
        manner["api_key"] = key
    return manner


def _check_price(library: Any, settings: Reach) -> None:
    """A budget in dollars needs a price; the library's 0 may mean that it has none, so 0 must be given."""
    if settings.budget.dollars is None or settings.dollars_per_million is not None:
        return
    if not _listed_price(library, settings, *_USUAL):
        raise AuthorUnavailable(
            f"{settings.who} has no known price, so no budget in dollars can be kept; "
            "give dollars_per_million (in and out; 0 and 0 for a model that costs nothing), "
            "or a budget in tokens"
        )


def _dollars(library: Any, settings: Reach, tokens_in: int, tokens_out: int) -> float:
    """What one answer cost by its own tokens, since a long prompt may have another price; 0.0 if unknown."""
    if settings.dollars_per_million is not None:
        return settings.dollars(tokens_in, tokens_out)
    return _listed_price(library, settings, tokens_in, tokens_out)


def _listed_price(library: Any, settings: Reach, tokens_in: int, tokens_out: int) -> float:
    """Dollars by the library's list; 0.0 for a model that it has no price of."""
    try:
        prices = library.cost_per_token(
            model=settings.model, prompt_tokens=tokens_in, completion_tokens=tokens_out
        )
    except Exception:  # of any kind, by the library's habit, for a model that is not in its list
        return 0.0
    return float(sum(prices))


def _answer(library: Any, response: Any, settings: Reach) -> Answer:
    choices = getattr(response, "choices", None)
    choice = choices[0] if choices else None
    message = getattr(choice, "message", None)
    text = _text(getattr(message, "content", None), settings)
    usage = getattr(response, "usage", None)
    tokens_in = int(getattr(usage, "prompt_tokens", 0) or 0)
    tokens_out = int(getattr(usage, "completion_tokens", 0) or 0)
    return Answer(
        text=text[: LONGEST_ANSWER + 1],
        characters=len(text),
        calls=_calls(message, settings),
        refusal=_refusal(message, settings),
        finish=str(getattr(choice, "finish_reason", None)) if choice is not None else "no choices",
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        dollars=_dollars(library, settings, tokens_in, tokens_out),
    )


def _text(value: Any, settings: Reach) -> str:
    """What came as a text, without keys and half characters."""
    told = value if isinstance(value, str) else "" if value is None else canonical_json(value)
    return redact(told.encode(errors="replace").decode(), settings.api_key_env)


def _calls(message: Any, settings: Reach) -> tuple[SaidCall, ...]:
    """The tool calls of a message, as far as they can be called so."""
    said = []
    for call in (getattr(message, "tool_calls", None) or ())[:MOST_CALLS]:
        function = getattr(call, "function", None)
        name = _text(getattr(function, "name", None), settings)
        arguments = _text(getattr(function, "arguments", None), settings)
        said.append(SaidCall(name=name[: LONGEST_ANSWER + 1], arguments=arguments[: LONGEST_ANSWER + 1]))
    return tuple(said)


def _refusal(message: Any, settings: Reach) -> str | None:
    fields = getattr(message, "provider_specific_fields", None)
    told = getattr(message, "refusal", None) or (fields.get("refusal") if isinstance(fields, dict) else None)
    return _text(told, settings)[:LONGEST_ANSWER] if told else None


def _passes(error: Exception) -> bool:
    """Whether the same request may succeed later."""
    status = getattr(error, "status_code", None)
    if _WITHOUT_KEY.search(str(error)):
        return False
    return not isinstance(status, int) or status in _PASSING or status >= 500


def _wait(error: Exception, planned: float) -> float:
    """Seconds to wait: what the endpoint asks for, else what was planned."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        asked = float(headers.get("retry-after", planned))
    except ValueError:  # a date
        asked = planned
    return min(max(asked, planned) if isfinite(asked) else planned, LONGEST_WAIT)


def _unusable(settings: Reach, problem: str) -> str:
    key = settings.api_key_env or "the environment variable that LiteLLM reads for it"
    remedy = f"check the model's name, its address, and the key in {key}"
    return f"{settings.who} cannot be used: {problem}; {remedy}"


def _one_line(error: Exception, settings: Reach) -> str:
    text = redact(" ".join(str(error).split()), settings.api_key_env)
    text = f"{type(error).__name__}: {_PREFIX.sub('', text)}"
    return text if len(text) <= 300 else f"{text[:297]}..."
