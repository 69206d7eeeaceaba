"""The options by which PLANET's commands ask a language model."""

from argparse import ArgumentParser, Namespace
from typing import Any, get_args

from planet.author.llm.settings import Mode, Settings, Shape
from planet.errors import AuthorError
from planet.language_model.options import add_reach_options, first_given, reach_given
from planet.language_model.settings import made_of

_OWN = ("mode", "temperature", "response_format")
"""Options of an author alone, named like the fields of its settings."""
MODE: Mode = Settings.model_fields["mode"].default
SHAPE: Shape = Settings.model_fields["response_format"].default


def add_options(parser: ArgumentParser) -> None:
    """`--mode`, `--api-base`, `--budget-dollars` and the others; `--model` is the command's own."""
    add = add_reach_options(parser, Settings, "language model")
    add("--mode", choices=get_args(Mode), help=f"with steps and example, or bare (default {MODE})")
    add("--temperature", type=float, metavar="T", help="default: the model's own")
    add("--response-format", choices=get_args(Shape), help=f"asked of the endpoint (default {SHAPE})")


def option_given(given: Namespace) -> str | None:
    """The first of these options on a command line, as it is written; None when there is none."""
    return first_given(given, _OWN)


def author_settings(given: Namespace, model: str) -> dict[str, Any]:
    """Keyword arguments of `LLMAuthor` from a command line; AuthorError in one line for a bad value."""
    own = {name: getattr(given, name) for name in _OWN}
    fields = {"model": model, **{n: value for n, value in own.items() if value is not None}}
    fields |= reach_given(given)
    try:
        made_of(Settings, fields)
    except ValueError as error:
        raise AuthorError(f"author {model!r} cannot be made: {error}") from None
    return fields
