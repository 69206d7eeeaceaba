"""Lines for scripted authors: what the template proposes, with one thing changed."""

from collections.abc import Callable
from typing import Any

from planet.author.artifacts import Artifact, AuthorCost, Context, Link, RulePlan, SchemaPlan
from planet.author.template import TemplateAuthor
from planet.errors import AuthorError
from planet.records.world import Column, Resource

ID = Column(name="id", type="id", required=True, unique=True)


def template(link: Link, **changes: Any) -> Callable[[Context], Artifact]:
    """The template's proposal for `link` with some fields replaced."""

    def line(context: Context) -> Artifact:
        return TemplateAuthor().propose(link, context)[0].replace(**changes)

    return line


def reactor(service: str, parent: str, **changes: Any) -> Resource:
    """A table of words that no catalog has, which refers to `parent`."""
    resource = Resource(
        name="reactor",
        service=service,
        description="A vessel in which isotopes are fused.",
        prefix="RXQ",
        label="nickname",
        status="plasma_phase",
        columns=(
            ID,
            Column(name="nickname", type="text", required=True, pool="product"),
            Column(name="plasma_phase", type="enum", values=("dormant", "igniting", "fusing")),
            Column(name="isotope", type="enum", values=("tritium", "deuterium", "protium")),
            Column(name="flux", type="amount", low=0.0, high=9.5),
            Column(name="shielded", type="bool"),
            Column(name="quench_date", type="date"),
            Column(name="owner_ref", type="ref", ref=parent),
        ),
    )
    return resource.replace(**changes)


def with_reactor(**changes: Any) -> Callable[[Context], Artifact]:
    """The template's schema with a reactor in the slice, in another service than what it refers to."""

    def line(context: Context) -> Artifact:
        plan = TemplateAuthor().propose("schema", context)[0]
        assert isinstance(plan, SchemaPlan)
        services = {t.resource: t.service for t in plan.tables}
        parent = plan.slice[0]
        service = next(s for s in services.values() if s != services[parent])
        table = reactor(service, parent, **changes)
        return plan.replace(custom=(table,), slice=(parent, table.name))

    return line


def with_rule(**changes: Any) -> Callable[[Context], Artifact]:
    """The template's rules with the first one changed."""

    def line(context: Context) -> Artifact:
        plan = TemplateAuthor().propose("rules", context)[0]
        assert isinstance(plan, RulePlan)
        return plan.replace(rules=(plan.rules[0].replace(**changes), *plan.rules[1:]))

    return line


class MuteAuthor:
    """An author that never has anything to propose."""

    name = "mute"

    def propose(self, link: Link, context: Context) -> tuple[Artifact, AuthorCost]:
        """AuthorError, every time."""
        raise AuthorError("the model gave no JSON", AuthorCost(calls=1))


class NoAuthor:
    """A class that is no author."""
