"""`LLMAuthor`: proposes the links of a world through any model that LiteLLM can reach."""

from pathlib import Path
from typing import Any

from planet.author.artifacts import Artifact, AuthorCost, Context, Link
from planet.author.llm.checks import problems_of
from planet.author.llm.prompt import conversation, schema_of
from planet.author.llm.reading import read_artifact
from planet.author.llm.settings import Mode, Settings, Shape
from planet.errors import AuthorError
from planet.identity import seed_of
from planet.language_model.address import answer_name
from planet.language_model.answer import Answer, AnswerCache
from planet.language_model.budget import Budget
from planet.language_model.endpoint import Request, ask
from planet.language_model.settings import made_of

_KEPT = 8_000
"""Characters of an unusable answer that its error carries, for the trace and the next try."""


class LLMAuthor:
    """A language model as an author.

    Costs are those of the answers, also where an answer comes from the cache, so that equal worlds have equal
    costs; `budget.spent` is what this author was charged. One author may be used by several threads.
    """

    def __init__(
        self,
        model: str,
        mode: Mode = "recipe",
        response_format: Shape = "schema",
        temperature: float | None = None,
        max_tokens: int = 8_000,
        timeout: float = 120.0,
        retries: int = 4,
        first_wait: float = 1.0,
        api_base: str | None = None,
        api_key_env: str | None = None,
        answers: str | None = ".cache/authors",
        budget: dict[str, float] | None = None,
        dollars_per_million: tuple[float, float] | None = None,
    ) -> None:
        """The parameters are those of `planet.author.llm.settings`; ValueError for one that cannot be."""
        given = {name: value for name, value in locals().items() if name != "self"}
        self.settings = made_of(Settings, {**given, "budget": budget or {}})
        self.name = model
        self.budget = Budget(self.settings.budget, self.settings.who)
        self.endpoint = ask
        self.cache = AnswerCache(Path(self.settings.answers)) if self.settings.answers else None

    def propose(self, link: Link, context: Context) -> tuple[Artifact, AuthorCost]:
        """The artifact and its cost; AuthorError with cost and text when the model gave no usable one."""
        answer = self._answer(link, context)
        try:
            artifact = read_artifact(link, answer.text, answer.characters)
            problems = problems_of(artifact, context)
            if problems:
                raise AuthorError("; ".join(problems))
        except AuthorError as error:
            cut = " (it was cut off at max_tokens)" if answer.finish == "length" else ""
            raise AuthorError(f"{error}{cut}", answer.cost, answer.text[:_KEPT]) from None
        return artifact, answer.cost

    def _answer(self, link: Link, context: Context) -> Answer:
        """From the cache, or asked for and then kept there."""
        request = self.request(link, context)
        name = answer_name(request, self.settings)
        found = self.cache.find(name) if self.cache else None
        if found is not None:
            return found
        answer = self.endpoint(request, self.settings, self.budget)
        if self.cache and answer.whole:
            self.cache.keep(name, answer)
        return answer

    def request(self, link: Link, context: Context) -> Request:
        """Everything that the answer follows from; another seed or try is another request."""
        settings = self.settings
        seed = seed_of(context.seed, "author", link, context.attempt) % 2**31
        request: dict[str, Any] = {
            "model": settings.model,
            "messages": conversation(link, context, settings.mode),
            "max_tokens": settings.max_tokens,
            "seed": seed,
            "temperature": settings.temperature,
            "api_base": settings.api_base,
            "response_format": _format(link, settings.response_format),
        }
        return {key: value for key, value in request.items() if value is not None}


def _format(link: Link, shape: Shape) -> dict[str, Any] | None:
    if shape == "schema":
        return {"type": "json_schema", "json_schema": {"name": link, "schema": schema_of(link)}}
    return {"type": "json_object"} if shape == "object" else None
