"""How a language model is reached, and what asking it may cost: the base of whatever asks one."""

from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import Field, ValidationError

from planet.records.frozen import Frozen

CHARACTERS_PER_TOKEN = 4
"""Of English and JSON, roughly, with the tokenizers of present models: for estimates."""

Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""Dollars per million tokens; 0 is a model that costs nothing."""


class Limits(Frozen):
    """What may be spent by one that asks. A request that is on its way when a limit is met is paid for."""

    calls: int | None = Field(default=None, ge=0)  # requests sent, failed ones included; None: no limit
    tokens: int | None = Field(default=None, ge=0)  # of prompts and completions; None: no limit
    dollars: float | None = Field(default=None, ge=0)  # None: no limit


class Reach(Frozen):
    """Where a model is, and with what patience and purse. No field holds a key: settings are recorded."""

    role: ClassVar[str] = "model"  # what the model is to whoever reads a message about it

    model: str = Field(min_length=1)  # as LiteLLM names it, e.g. "openai/gpt-4o"
    max_tokens: int = Field(8_000, ge=1)  # of one completion
    timeout: float = Field(120.0, gt=0)  # seconds to wait for one answer
    retries: int = Field(4, ge=0)  # further requests after a busy, broken or silent endpoint
    first_wait: float = Field(1.0, ge=0)  # seconds before the first of them; doubled each time
    api_base: str | None = None  # address of an OpenAI-compatible endpoint; None: LiteLLM's for the model
    api_key_env: str | None = None  # environment variable that holds the key; None: LiteLLM's for the model
    answers: str | None = None  # folder of answers by content of the request; None: none
    budget: Limits = Limits()
    dollars_per_million: tuple[Price, Price] | None = None  # of tokens in and out; None: LiteLLM's list

    @property
    def who(self) -> str:
        """The model as messages call it, e.g. "author openai/gpt-4o"."""
        return f"{self.role} {self.model}"

    def dollars(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost at the price that was given; 0.0 where none was."""
        into, out = self.dollars_per_million or (0.0, 0.0)
        return (tokens_in * into + tokens_out * out) / 1e6


Made = TypeVar("Made", bound=Reach)


def made_of(kind: type[Made], fields: dict[str, Any]) -> Made:
    """Settings of a kind from plain values; ValueError in one line for a value that cannot be."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        message = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
        raise ValueError(f"{where}: {first['input']!r} cannot be: {message}") from None
