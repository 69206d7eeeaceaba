"""What must hold for a catalog to be usable. The first violation becomes one CatalogError line."""

import re
from collections import Counter
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

from planet.catalog.catalog import Catalog
from planet.catalog.columns import check_column
from planet.catalog.entries import COUNTRY_SLOTS, CatalogResource
from planet.catalog.names import check_name
from planet.catalog.nearest import hint
from planet.catalog.phrases import SLOT, Phrases
from planet.errors import CatalogError

Files = dict[str, str]
"""`service crm` -> the file that its entry came from; likewise industry, country, pool."""


def check_catalog(catalog: Catalog, files: Files) -> None:
    """Raise CatalogError for the first thing that does not hold; it names file, entry, value and remedy."""
    for kind in catalog.services:
        check_name(kind.kind, 2, files[f"service {kind.kind}"], "kind")
        for resource in kind.resources:
            _check_resource(resource, catalog, _place(resource, files))
    _check_unique(catalog, files)
    _check_references(catalog, files)
    _check_cycles(catalog, files)
    for resource in catalog.resources.values():
        _check_own_references(resource, _place(resource, files))
    for name, pool in catalog.pools.items():
        _check_phrases(pool, COUNTRY_SLOTS, f"{files[f'pool {name}']}: pool {name}")
    _check_industries(catalog, files)
    _check_countries(catalog, files)


def _check_resource(resource: CatalogResource, catalog: Catalog, where: str) -> None:
    check_name(resource.name, 2, where, "resource")
    if not re.fullmatch(r"[A-Z]{2,4}", resource.prefix):
        raise CatalogError(f"{where}: prefix '{resource.prefix}' is not 2 to 4 capitals; write e.g. INV")
    for column in resource.columns:
        check_column(column, catalog.pools, where)
    twice = _repeated(column.name for column in resource.columns)
    if twice:
        raise CatalogError(f"{where}: column '{twice}' stands twice; rename one")
    for key, name, wanted in (("label", resource.label, "text"), ("status", resource.status, "enum")):
        fitting = [column.name for column in resource.columns if column.type == wanted]
        if name not in fitting:
            raise CatalogError(f"{where}: {key} '{name}' is no {wanted} column of it; {hint(name, fitting)}")


def _check_own_references(resource: CatalogResource, where: str) -> None:
    """An instruction says "for this customer" and no more: a second reference would make it ambiguous."""
    again = _repeated(column.ref or "" for column in resource.refs)
    if again:
        both = " and ".join(f"'{column.name}'" for column in resource.refs if column.ref == again)
        raise CatalogError(
            f"{where}: columns {both} refer to '{again}', which can be referred to once; keep one"
        )
    for column in resource.refs:
        if column.name != f"{column.ref}_id":
            raise CatalogError(
                f"{where}: column '{column.name}' refers to '{column.ref}'; call it {column.ref}_id"
            )


def _check_unique(catalog: Catalog, files: Files) -> None:
    """Names and prefixes belong to one resource each: a name is a table, a prefix begins its ids."""
    everything = [resource for kind in catalog.services for resource in kind.resources]
    names: dict[str, CatalogResource] = {}
    prefixes: dict[str, CatalogResource] = {}
    for resource in everything:
        where = _place(resource, files)
        if resource.name in names:
            other = names[resource.name].service
            raise CatalogError(f"{where}: service {other} has a resource of this name; choose another")
        if resource.prefix in prefixes:
            other = prefixes[resource.prefix].name
            raise CatalogError(f"{where}: prefix '{resource.prefix}' belongs to {other}; choose another")
        names[resource.name] = prefixes[resource.prefix] = resource


def _check_references(catalog: Catalog, files: Files) -> None:
    for link in catalog.links:
        if link.target not in catalog.resources:
            where = _place(catalog.resources[link.source], files)
            remedy = hint(link.target, catalog.resources)
            raise CatalogError(
                f"{where}: column {link.column}: no resource '{link.target}' to refer to; {remedy}"
            )
    core = catalog.core.resources
    for link in catalog.links:
        if link.source in core and link.target not in core:
            where = _place(catalog.resources[link.source], files)
            raise CatalogError(
                f"{where}: column {link.column}: '{link.target}' is not of the core as this resource is; "
                f"write core: false here, or leave it out there"
            )


def _check_cycles(catalog: Catalog, files: Files) -> None:
    """References must have an order in which rows can be made, optional references included."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for link in catalog.links:
        sorter.add(link.source, link.target)
    try:
        sorter.prepare()
    except CycleError as problem:
        cycle = problem.args[1][::-1]
        where = _place(catalog.resources[cycle[0]], files)
        raise CatalogError(
            f"{where}: references go in a circle, {' -> '.join(cycle)}; remove one of them"
        ) from None


def _check_phrases(phrases: Phrases, given: Iterable[str], where: str) -> None:
    if not phrases.forms:
        raise CatalogError(f"{where}: has no forms; add e.g. forms: ['{{given}} {{family}}']")
    _check_texts((SLOT.sub("x", form) for form in phrases.forms), f"{where}: forms")
    valid = {*phrases.parts, *given}
    for slot in sorted(phrases.slots() - valid):
        raise CatalogError(f"{where}: no part fills '{{{slot}}}'; {hint(slot, valid)}")
    for name, choices in phrases.parts.items():
        _check_texts(choices, f"{where}: part '{name}'")
        if name not in phrases.slots():
            raise CatalogError(f"{where}: part '{name}' is in no form; {hint(name, phrases.slots())}")


_UNSPEAKABLE = {*'"{}\x7f', *map(chr, range(32))}
"""Characters that no text may hold: its delimiters, and those that control a terminal."""


def _check_texts(texts: Iterable[str], where: str) -> None:
    """Texts stand in double quotes in an instruction, and braces are for slots."""
    texts = tuple(texts)
    for text in texts:
        if not text.strip() or set(text) & _UNSPEAKABLE:
            raise CatalogError(f"{where}: text {text!r} is blank or has quotes, braces or lines; reword it")
    if not texts:
        raise CatalogError(f"{where}: is empty; add texts or remove it")


def _check_industries(catalog: Catalog, files: Files) -> None:
    kinds = {kind.kind for kind in catalog.services}
    for industry in catalog.industries:
        where = f"{files[f'industry {industry.name}']}: industry {industry.name}"
        check_name(industry.name, 3, where, "industry")
        if not industry.services:
            raise CatalogError(f"{where}: has no services; add e.g. services: {{crm: 0.9}}")
        for kind, weight in industry.services.items():
            if kind not in kinds:
                raise CatalogError(f"{where}: no kind of service '{kind}'; {hint(kind, kinds)}")
            if not 0 < weight <= 1:
                raise CatalogError(f"{where}: weight {weight} of {kind} is no chance; write one in (0, 1]")
        for key in ("descriptions", "further"):
            if getattr(industry, key) is not None:
                _check_phrases(getattr(industry, key), (), f"{where}: {key}")


def _check_countries(catalog: Catalog, files: Files) -> None:
    for country in catalog.countries:
        where = f"{files[f'country {country.code}']}: country {country.code}"
        for key, value, pattern, example in (
            ("code", country.code, r"[A-Z]{2}", "BR"),
            ("currency", country.currency, r"[A-Z]{3}", "BRL"),
            ("locale", country.locale, r"[a-z]{2,3}_[A-Z]{2}", "pt_BR"),
        ):
            if not re.fullmatch(pattern, value):
                raise CatalogError(f"{where}: {key} '{value}' is malformed; write e.g. {example}")
        for zone in country.time_zones:
            if not re.fullmatch(r"[A-Za-z]\w*(/[A-Za-z][\w+-]*)*", zone, re.ASCII):
                raise CatalogError(f"{where}: time zone {zone!r} is malformed; write e.g. America/Sao_Paulo")
        for key in ("time_zones", "given", "family", "cities"):
            _check_texts(getattr(country, key), f"{where}: {key}")


def _place(resource: CatalogResource, files: Files) -> str:
    return f"{files[f'service {resource.service}']}: resource {resource.name}"


def _repeated(names: Iterable[str]) -> str | None:
    return next((name for name, times in Counter(names).items() if times > 1), None)
