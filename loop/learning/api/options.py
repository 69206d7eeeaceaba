"""The options by which a command asks a model behind an interface to play."""

from argparse import ArgumentParser, Namespace

from loop.errors import ConfigError
from loop.learning.api.settings import ANSWERS, ApiSettings, api_settings

_FIELDS = {
    "api_base": "api_base",
    "api_key_env": "api_key_env",
    "message_tokens": "max_tokens",
    "timeout": "timeout",
    "retries": "retries",
    "concurrency": "concurrency",
    "price": "dollars_per_million",
}
"""Option -> field of the settings."""
_LIMITS = {"max_calls": "calls", "max_tokens": "tokens", "max_dollars": "dollars"}
"""Option -> limit of the budget."""
_OTHERS = ("answers", "no_answers", "turns", "dry_run")


def add_options(parser: ArgumentParser) -> None:
    """`--model` and what belongs to it."""
    group = parser.add_argument_group("a model behind an interface, in the place of CHECKPOINT")
    add = group.add_argument
    add("--model", metavar="NAME", help="as LiteLLM names it, e.g. openai/gpt-4o")
    add("--api-base", metavar="URL", help="an OpenAI-compatible endpoint of your own")
    add("--api-key-env", metavar="VARIABLE", help="environment variable that holds the key")
    add("--max-dollars", type=float, metavar="X", help="dollars at most")
    add("--max-calls", type=int, metavar="N", help="requests at most")
    add("--max-tokens", type=int, metavar="N", help="tokens in and out at most")
    add("--price", type=float, nargs=2, metavar=("IN", "OUT"), help="dollars per million tokens")
    add("--concurrency", type=int, metavar="N", help=f"episodes at a time{_default('concurrency')}")
    add(
        "--message-tokens", type=int, metavar="N", help=f"of one message of the model{_default('max_tokens')}"
    )
    add("--timeout", type=float, metavar="S", help=f"seconds for one message{_default('timeout')}")
    add("--retries", type=int, metavar="N", help=f"further requests after a failed one{_default('retries')}")
    add("--turns", type=int, metavar="N", help="calls of an episode (default: 8, in library worlds 20)")
    add("--answers", metavar="DIR", help=f"folder in which answers are kept (default {ANSWERS})")
    add("--no-answers", action="store_true", default=None, help="keep none, so nothing can be resumed")
    add("--dry-run", action="store_true", default=None, help="print what it will cost, and end")


def _default(field: str) -> str:
    """What a help says of a setting that is left out: the default of the settings themselves."""
    return f" (default {ApiSettings.model_fields[field].default:g})"


def misplaced(given: Namespace) -> str | None:
    """The first option that means nothing without `--model`; None when there is none."""
    names = [name for name in (*_FIELDS, *_LIMITS, *_OTHERS) if getattr(given, name) is not None]
    return f"--{names[0].replace('_', '-')}" if names else None


def settings_from(given: Namespace) -> ApiSettings:
    """The settings of a command line; ConfigError in one line for a value that cannot be."""
    fields = {field: getattr(given, name) for name, field in _FIELDS.items()}
    limits = {limit: getattr(given, name) for name, limit in _LIMITS.items()}
    if given.turns is not None and given.turns < 1:
        raise ConfigError(f"--turns: {given.turns} is not allowed; give at least 1")
    return api_settings(
        f"--model {given.model}",
        {
            "model": given.model,
            "cache": None if given.no_answers else given.answers or ANSWERS,
            "budget": {what: limit for what, limit in limits.items() if limit is not None},
            **{field: value for field, value in fields.items() if value is not None},
        },
    )
