"""The options by which PLANET's commands ask a language model."""

from argparse import ArgumentParser, Namespace
from typing import Any, get_args

from planet.author.llm.settings import Mode, Settings, Shape
from planet.errors import AuthorError
from planet.language_model.settings import made_of


def add_options(parser: ArgumentParser) -> None:
    """`--mode`, `--api-base`, `--budget-dollars` and the others; `--model` is the command's own."""
    group = parser.add_argument_group("language model")
    add = group.add_argument
    add("--mode", choices=get_args(Mode), default="recipe", help="with steps and example, or bare")
    add("--api-base", metavar="URL", help="an OpenAI-compatible endpoint of your own")
    add("--api-key-env", metavar="NAME", help="environment variable that holds the key")
    add("--temperature", type=float, metavar="T", help="default: the model's own")
    add("--response-format", choices=get_args(Shape), default="schema", help="what is asked of the endpoint")
    add("--max-tokens", type=int, default=8_000, metavar="N", help="of one answer (default 8000)")
    add("--timeout", type=float, default=120.0, metavar="S", help="seconds for one answer (default 120)")
    add("--cache", default=".cache/authors", metavar="DIR", help="folder of answers (default %(default)s)")
    add("--no-cache", action="store_true", help="ask anew, keep nothing")
    add("--budget-calls", type=int, metavar="N", help="requests at most")
    add("--budget-tokens", type=int, metavar="N", help="tokens in and out at most")
    add("--budget-dollars", type=float, metavar="X", help="dollars at most")
    add("--price", type=float, nargs=2, metavar=("IN", "OUT"), help="dollars per million tokens")


def budget_given(given: Namespace) -> str | None:
    """The first limit of a budget on a command line, as it was typed; None when there is none."""
    for name in ("calls", "tokens", "dollars"):
        limit = getattr(given, f"budget_{name}")
        if limit is not None:
            return f"--budget-{name} {limit}"
    return None


def author_settings(given: Namespace, model: str) -> dict[str, Any]:
    """Keyword arguments of `LLMAuthor` from a command line; AuthorError in one line for a bad value."""
    budget = {"calls": given.budget_calls, "tokens": given.budget_tokens, "dollars": given.budget_dollars}
    fields: dict[str, Any] = {
        "model": model,
        "mode": given.mode,
        "api_base": given.api_base,
        "api_key_env": given.api_key_env,
        "temperature": given.temperature,
        "response_format": given.response_format,
        "max_tokens": given.max_tokens,
        "timeout": given.timeout,
        "cache": None if given.no_cache else given.cache,
        "budget": {what: limit for what, limit in budget.items() if limit is not None},
        "dollars_per_million": given.price,
    }
    try:
        made_of(Settings, fields)
    except ValueError as error:
        raise AuthorError(f"author {model!r} cannot be made: {error}") from None
    return fields
