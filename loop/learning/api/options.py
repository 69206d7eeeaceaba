"""The options by which a command asks a model behind an interface to play."""

from argparse import ArgumentParser, Namespace

from loop.errors import ConfigError
from loop.learning.api.settings import ApiSettings, api_settings
from planet.language_model.options import add_reach_options, first_given, reach_given


def add_options(parser: ArgumentParser) -> None:
    """`--model` and what belongs to it."""
    add = add_reach_options(parser, ApiSettings, "a model behind an interface, in the place of CHECKPOINT")
    concurrency = ApiSettings.model_fields["concurrency"].default
    add("--model", metavar="NAME", help="as LiteLLM names it, e.g. openai/gpt-4o")
    add("--concurrency", type=int, metavar="N", help=f"episodes at a time (default {concurrency})")
    add("--turns", type=int, metavar="N", help="calls of an episode (default: 8, in library worlds 20)")
    add("--dry-run", action="store_true", default=None, help="print what it will cost, and end")


def misplaced(given: Namespace) -> str | None:
    """The first option that means nothing without `--model`; None when there is none."""
    return first_given(given, ("concurrency", "turns", "dry_run"))


def settings_from(given: Namespace) -> ApiSettings:
    """The settings of a command line; ConfigError in one line for a value that cannot be."""
    if given.turns is not None and given.turns < 1:
        raise ConfigError(f"--turns: {given.turns} is not allowed; give at least 1")
    own = {} if given.concurrency is None else {"concurrency": given.concurrency}
    return api_settings(f"--model {given.model}", {"model": given.model, **own, **reach_given(given)})
