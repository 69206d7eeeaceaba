"""One request to a model through LiteLLM, tried again while the endpoint is busy, broken or silent.

This is the one place that sees the library's exceptions. A request that the endpoint turns down (too long for
the model, caught by a filter) is an AuthorError of the proposal; an endpoint that cannot be used is
AuthorUnavailable. Nothing is sent anywhere but to the endpoint.
"""

import os
import re
import time
from typing import Any

from planet.author.llm.answer import LONGEST_ANSWER, Answer
from planet.author.llm.budget import Budget
from planet.author.llm.redaction import redact
from planet.author.llm.settings import Settings
from planet.errors import AuthorError, AuthorUnavailable

LONGEST_WAIT = 60.0
"""Seconds between two requests, whatever the endpoint asks for."""
_PASSING = (408, 409, 425, 429)
_TURNED_DOWN = (400, 413, 422)
"""States of a request that another one to the same model may not meet."""
_WITHOUT_KEY = re.compile("missing credentials|api_key client option", re.IGNORECASE)
"""What clients say of a key that was never given; LiteLLM reports it as a broken server."""
_PREFIX = re.compile(r"^((litellm\.)?\w*(Error|Exception|Timeout)( -|:) )+")

Request = dict[str, Any]
"""Model, messages and parameters, as JSON: what an answer follows from."""


def ask(request: Request, settings: Settings, budget: Budget) -> Answer:
    """The answer to `request`; BudgetSpent, AuthorError or AuthorUnavailable when there is none."""
    library = _library()
    _check_provider(library, settings)
    price = _price(library, settings)
    problem = ""
    for number in range(settings.retries + 1):
        budget.request()
        try:
            response = library.completion(**request, **_manner(settings))
        except Exception as error:  # the boundary: LiteLLM raises errors of a dozen libraries
            problem = _one_line(error, settings)
            if getattr(error, "status_code", None) in _TURNED_DOWN:
                raise AuthorError(f"the endpoint turns the request down: {problem}") from None
            if not _passes(error):
                raise AuthorUnavailable(_unusable(settings, problem)) from None
            if number < settings.retries:
                time.sleep(_wait(error, settings.first_wait * 2**number))
            continue
        answer = _answer(response, price, settings)
        budget.pay(answer.cost)
        return answer
    raise AuthorUnavailable(
        f"author {settings.model} gave no answer in {settings.retries + 1} requests (the last: {problem}); "
        "see whether its endpoint is up, or raise timeout and retries"
    )


def _library() -> Any:
    """LiteLLM without its outside traffic and its advertisements."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or it downloads a price list on import
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    return litellm


def _check_provider(library: Any, settings: Settings) -> None:
    try:
        library.get_llm_provider(settings.model, api_base=settings.api_base)
    except library.exceptions.BadRequestError:
        raise AuthorUnavailable(
            f"author {settings.model}: LiteLLM knows no provider of that name; write it before the model, "
            "e.g. openai/gpt-4o, also for an endpoint of your own"
        ) from None


def _manner(settings: Settings) -> dict[str, Any]:
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
                f"author {settings.model}: environment variable {settings.api_key_env} is not set; "
                "put the key there"
            )
        manner["api_key"] = key
    return manner


def _price(library: Any, settings: Settings) -> tuple[float, float] | None:
    """Dollars per token in and out; None when unknown, which a budget in dollars cannot work with."""
    if settings.dollars_per_million is not None:
        into, out = settings.dollars_per_million
        return into / 1e6, out / 1e6
    try:
        into, out = library.cost_per_token(
            model=settings.model, prompt_tokens=1_000_000, completion_tokens=1_000_000
        )
    except Exception:  # of any kind, by the library's habit, for a model that it has no price of
        if settings.budget.dollars is None:
            return None
        raise AuthorUnavailable(
            f"author {settings.model} has no known price, so no budget in dollars can be kept; "
            "give dollars_per_million (in and out), or a budget in tokens"
        ) from None
    return into / 1e6, out / 1e6


def _answer(response: Any, price: tuple[float, float] | None, settings: Settings) -> Answer:
    choice = response.choices[0] if response.choices else None
    content = (choice.message.content if choice is not None else None) or ""
    text = redact(str(content), settings.api_key_env)
    usage = getattr(response, "usage", None)
    tokens_in = int(getattr(usage, "prompt_tokens", 0) or 0)
    tokens_out = int(getattr(usage, "completion_tokens", 0) or 0)
    into, out = price or (0.0, 0.0)
    return Answer(
        text=text[: LONGEST_ANSWER + 1],
        characters=len(text),
        finish=str(choice.finish_reason) if choice is not None else "no choices",
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        dollars=tokens_in * into + tokens_out * out,
    )


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
    return min(max(asked, planned), LONGEST_WAIT)


def _unusable(settings: Settings, problem: str) -> str:
    key = settings.api_key_env or "the environment variable that LiteLLM reads for it"
    remedy = f"check the model's name, its address, and the key in {key}"
    return f"author {settings.model} cannot be used: {problem}; {remedy}"


def _one_line(error: Exception, settings: Settings) -> str:
    text = redact(" ".join(str(error).split()), settings.api_key_env)
    text = f"{type(error).__name__}: {_PREFIX.sub('', text)}"
    return text if len(text) <= 300 else f"{text[:297]}..."
