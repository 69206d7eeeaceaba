"""How a model behind an interface is asked to play."""

from typing import Any, ClassVar

from pydantic import Field

from loop.errors import ConfigError
from planet.language_model.settings import Reach, made_of

ANSWERS = ".cache/policies"
"""Folder of answers by default: the same episodes again cost nothing, and what was stopped goes on."""


class ApiSettings(Reach):
    """The parameters of a policy behind an interface."""

    role: ClassVar[str] = "policy"

    max_tokens: int = Field(4_096, ge=1)  # of one message, thoughts included
    answers: str | None = ANSWERS
    concurrency: int = Field(8, ge=1, le=256)  # episodes played, so requests on their way, at a time


def api_settings(where: str, fields: dict[str, Any]) -> ApiSettings:
    """Settings from plain values; ConfigError in one line, beginning with `where`, for one that cannot be."""
    try:
        return made_of(ApiSettings, fields)
    except ValueError as error:
        raise ConfigError(f"{where}: {error}; change it") from None
