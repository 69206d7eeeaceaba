"""The options of every command that asks a language model: where it is, with what patience and purse."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any

from planet.language_model.settings import Limits, Reach

_FIELDS = {
    "api_base": "api_base",
    "api_key_env": "api_key_env",
    "max_tokens": "max_tokens",
    "timeout": "timeout",
    "retries": "retries",
    "answers": "answers",
    "price": "dollars_per_million",
}
"""Option -> field of the settings."""
_LIMITS = {f"budget_{limit}": limit for limit in Limits.model_fields}
"""Option -> limit of the budget."""


def add_reach_options(parser: ArgumentParser, kind: type[Reach], title: str) -> Callable[..., Any]:
    """`--api-base`, `--budget-dollars` and the others, in a group of their own.

    kind: the settings whose defaults the help tells. Returns the group's `add_argument`, for further options.
    """

    def default(field: str) -> str:
        value = kind.model_fields[field].default
        return f" (default {value if isinstance(value, str) else format(value, 'g')})"

    group = parser.add_argument_group(title)
    add = group.add_argument
    add("--api-base", metavar="URL", help="an OpenAI-compatible endpoint of your own")
    add("--api-key-env", metavar="VARIABLE", help="environment variable that holds the key")
    add("--max-tokens", type=int, metavar="N", help=f"of one answer{default('max_tokens')}")
    add("--timeout", type=float, metavar="S", help=f"seconds for one answer{default('timeout')}")
    add("--retries", type=int, metavar="N", help=f"further requests after a failed one{default('retries')}")
    kept = group.add_mutually_exclusive_group().add_argument
    kept("--answers", metavar="DIR", help=f"folder in which answers are kept{default('answers')}")
    kept("--no-answers", action="store_true", default=None, help="keep none, so all is asked anew")
    add("--budget-calls", type=int, metavar="N", help="requests at most")
    add("--budget-tokens", type=int, metavar="N", help="tokens in and out at most")
    add("--budget-dollars", type=float, metavar="X", help="dollars at most")
    add("--price", type=float, nargs=2, metavar=("IN", "OUT"), help="dollars per million tokens")
    return add


def reach_given(given: Namespace) -> dict[str, Any]:
    """The fields of the settings that a command line sets by these options, and no others."""
    fields = {field: getattr(given, name) for name, field in _FIELDS.items()}
    budget = {limit: getattr(given, name) for name, limit in _LIMITS.items()}
    told = {field: value for field, value in fields.items() if value is not None}
    told["budget"] = {limit: value for limit, value in budget.items() if value is not None}
    return told | ({"answers": None} if given.no_answers else {})


def first_given(given: Namespace, further: Sequence[str] = ()) -> str | None:
    """The first of these and of further options that a command line has, as it is written; None: none."""
    names = (*_FIELDS, "no_answers", *_LIMITS, *further)
    found = next((name for name in names if getattr(given, name) is not None), None)
    return f"--{found.replace('_', '-')}" if found else None
