"""What a model's proposal is checked for beside its schema, before a world is made of it.

The validators judge worlds; they do not know what the brief asked for, and a world without any rule has none
that fails. Names are held to plain words here, because they are shown to agents and written into reports.
"""

import re

from planet.author.artifacts import Artifact, Context, RulePlan, SchemaPlan
from planet.author.llm.facts import crossings
from planet.expand.plans import artifact_faults, resources_of
from planet.records.world import Brief, Company, ServiceGraph
from planet.validators.text import LONGEST_NAME, VALUE, shown

_COMPANY = re.compile(r"[^\W_][\w &.,'’()+-]*")


def problems_of(artifact: Artifact, context: Context) -> tuple[str, ...]:
    """Why the proposal cannot stand, each in one line; empty when nothing speaks against it."""
    if isinstance(artifact, Company):
        return tuple([*_company_name(artifact), *_other_place(artifact, context.brief)])
    if isinstance(artifact, ServiceGraph):
        return tuple([*_odd_names(artifact), *_missing_services(artifact, context.brief)])
    if isinstance(artifact, SchemaPlan):
        return tuple([*_missing_resources(artifact, context.brief), *_uncrossed(artifact, context)])
    if isinstance(artifact, RulePlan) and not artifact.rules:
        return ("there is no rule; state at least one that crosses two services",)
    return ()


def _company_name(company: Company) -> list[str]:
    if len(company.name) <= LONGEST_NAME and _COMPANY.fullmatch(company.name):
        return []
    return [f"the company's name {shown(company.name)} is not made of plain words; use letters and spaces"]


def _other_place(company: Company, brief: Brief) -> list[str]:
    wishes = (("industry", brief.industry, company.industry), ("country", brief.country, company.country))
    return [
        f"the brief asks for {what} {wanted!r}, not {shown(seen)}"
        for what, wanted, seen in wishes
        if wanted is not None and seen != wanted
    ]


def _odd_names(graph: ServiceGraph) -> list[str]:
    names = [service.name for service in graph.services]
    odd = [name for name in names if len(name) > LONGEST_NAME or not VALUE.fullmatch(name)]
    return [f"service {shown(name)} must be called in snake_case, e.g. help_desk" for name in odd[:3]]


def _missing_services(graph: ServiceGraph, brief: Brief) -> list[str]:
    kinds = {service.kind for service in graph.services}
    return [f"the brief asks for a service of kind {k!r}; add one" for k in brief.services if k not in kinds]


def _missing_resources(plan: SchemaPlan, brief: Brief) -> list[str]:
    return [f"the brief asks for {r!r} in the slice; add it" for r in brief.resources if r not in plan.slice]


def _uncrossed(plan: SchemaPlan, context: Context) -> list[str]:
    """A schema whose references all stay inside a service leaves nothing to state a rule about."""
    if artifact_faults(plan, context.artifacts, context.catalog):  # the catalog lacks a table, or worse
        return []
    if crossings(resources_of(plan, context.catalog)):
        return []
    return [
        "no reference between tables with tools crosses two services, so no rule can; "
        "choose a table that refers to one of another service"
    ]
