"""What a model would answer: the template's artifacts as JSON text, one per link asked for."""

import json
from collections.abc import Callable
from typing import Any

from planet.author.artifacts import ARTIFACTS, LINKS, Artifact, Context, Link, proposals
from planet.author.llm.prompt import PARTS
from planet.author.template import TemplateAuthor
from planet.catalog import Catalog
from planet.identity import seed_of
from planet.records.world import Brief


def plain(artifact: Artifact) -> dict[str, Any]:
    """An artifact as a model writes it."""
    return artifact.model_dump(mode="json", exclude_defaults=True)


def chain(catalog: Catalog, brief: Brief, seed: int = 0) -> dict[Link, Artifact]:
    """The template's artifacts for a brief."""
    return proposals(TemplateAuthor(), brief, catalog, seed)


def link_asked(request: dict[str, Any]) -> Link:
    """Which link a request is about."""
    question = request["messages"][1]["content"]
    return next(link for link in LINKS if question.startswith(f"Propose the {PARTS[link]}"))


def replying(replies: dict[Link, Any]) -> Callable[[dict[str, Any]], Any]:
    """A line for the server: to each link its reply, of several one per try, the last again and again."""
    tries: dict[Link, int] = {}

    def line(request: dict[str, Any]) -> Any:
        link = link_asked(request)
        reply = replies[link]
        if isinstance(reply, list):
            number = tries.get(link, 0)
            tries[link] = number + 1
            reply = reply[min(number, len(reply) - 1)]
        return reply(request) if callable(reply) else reply

    return line


def sound(catalog: Catalog, brief: Brief, seed: int = 0) -> dict[Link, Any]:
    """Replies of which a world can be made."""
    return {link: json.dumps(plain(made)) for link, made in chain(catalog, brief, seed).items()}


def drawing(catalog: Catalog) -> Callable[[dict[str, Any]], str]:
    """A line for the server: another company at every request for one, and the links that belong to it.

    What it answers follows from the request alone, as a model's answer does: the links from the company that
    the question quotes, the company from the seed that is asked for.
    """

    def line(request: dict[str, Any]) -> str:
        link, question = link_asked(request), request["messages"][1]["content"]
        quoted = {name: _quoted(question, name) for name in ("Brief", "The company so far")}
        before: dict[Link, Any] = {
            name: ARTIFACTS[name].model_validate(made)
            for name, made in quoted["The company so far"].items()  # type: ignore[misc]
        }
        if "target" in quoted["Brief"]:
            quoted["Brief"]["target"]["quota"] = 5
        context = Context(
            brief=Brief.model_validate(quoted["Brief"]),
            catalog=catalog,
            seed=seed_of("drawing", before["company"]) if before else request["seed"],
            attempt=0,
            artifacts=before,
        )
        return json.dumps(plain(TemplateAuthor().propose(link, context)[0]))

    return line


def _quoted(question: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        next(row for row in question.splitlines() if row.startswith(f"{name}: ")).removeprefix(f"{name}: ")
    )
    return found
