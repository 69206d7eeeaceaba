"""How a language model is asked, and what asking it may cost."""

from typing import Any, Literal

from pydantic import Field, ValidationError

from planet.identity import canonical_json
from planet.records.frozen import Frozen

Mode = Literal["bare", "recipe"]
Shape = Literal["schema", "object", "text"]


class Limits(Frozen):
    """What an author may spend in its life. A request that is on its way when a limit is met is paid for."""

    calls: int | None = Field(default=None, ge=0)  # requests sent, failed ones included; None: no limit
    tokens: int | None = Field(default=None, ge=0)  # of prompts and completions; None: no limit
    dollars: float | None = Field(default=None, ge=0)  # None: no limit


class Settings(Frozen):
    """The parameters of an `LLMAuthor`. No field holds a key: settings are written into records of runs."""

    model: str = Field(min_length=1)  # as LiteLLM names it, e.g. "openai/gpt-4o"
    mode: Mode = "recipe"  # bare: facts and schema alone; recipe: steps and a worked example too
    response_format: Shape = "schema"  # asked of the endpoint: the JSON Schema, any JSON object, or nothing
    temperature: float | None = Field(default=None, ge=0)  # None: the model's own default
    max_tokens: int = Field(8_000, ge=1)  # of one completion
    timeout: float = Field(120.0, gt=0)  # seconds to wait for one answer
    retries: int = Field(4, ge=0)  # further requests after a busy, broken or silent endpoint
    first_wait: float = Field(1.0, ge=0)  # seconds before the first of them; doubled each time
    api_base: str | None = None  # address of an OpenAI-compatible endpoint; None: LiteLLM's for the model
    api_key_env: str | None = None  # environment variable that holds the key; None: LiteLLM's for the model
    cache: str | None = ".cache/authors"  # folder of answers by content of the request; None: none
    budget: Limits = Limits()
    dollars_per_million: tuple[float, float] | None = None  # of tokens in and out; None: LiteLLM's list

    @property
    def identity(self) -> str:
        """What an answer may depend on, as text: budget, cache, patience and prices left out."""
        keys = {"model", "mode", "response_format", "temperature", "max_tokens", "api_base"}
        return canonical_json(self.model_dump(mode="json", include=keys))


def settings_of(fields: dict[str, Any]) -> Settings:
    """Settings from plain values; ValueError in one line for a value that cannot be."""
    try:
        return Settings.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        message = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
        raise ValueError(f"{where}: {first['input']!r} cannot be: {message}") from None
