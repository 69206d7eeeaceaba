"""How a language model is asked for a world."""

from typing import ClassVar, Literal

from pydantic import Field

from planet.identity import canonical_json, digest
from planet.language_model.address import addresses
from planet.language_model.settings import Reach

Mode = Literal["bare", "recipe"]
Shape = Literal["schema", "object", "text"]


class Settings(Reach):
    """The parameters of an `LLMAuthor`."""

    role: ClassVar[str] = "author"

    mode: Mode = "recipe"  # bare: facts and schema alone; recipe: steps and a worked example too
    response_format: Shape = "schema"  # asked of the endpoint: the JSON Schema, any JSON object, or nothing
    temperature: float | None = Field(default=None, ge=0)  # None: the model's own default
    answers: str | None = ".cache/authors"

    @property
    def identity(self) -> str:
        """What an answer may depend on, as text: budget, folder, patience and prices left out.

        An address of the environment is told by its digest.
        """
        keys = {"model", "mode", "response_format", "temperature", "max_tokens", "api_base"}
        told = self.model_dump(mode="json", include=keys)
        given = addresses(self)
        return canonical_json({**told, "addresses": digest(given)} if given else told)
