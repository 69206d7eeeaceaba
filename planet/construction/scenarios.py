"""Briefs to begin with: what a person might ask for, drawn from the catalog.

The template heeds the fields of a brief and not its words, so the words are chosen when the company is known:
what the brief says is what the world is.
"""

from random import Random

from planet.catalog import Catalog, Industry
from planet.identity import stream
from planet.records.world import Brief, Company, Profile

_FORMS = (
    "{description} It is at home in {country}.",
    "A company in {country}. {description}",
    "{title}, {country}. {description}",
)
_FORMS_WITH_SERVICES = (
    "Make a company of the industry {title} in {country}. {description} It needs {services}.",
    "{description} Based in {country}, it runs {services}.",
)


def wishes(catalog: Catalog, seed: int, number: int, attempt: int, profile: Profile) -> Brief:
    """The fields of a numbered brief, without words; another attempt wishes for something else."""
    rng = stream(seed, "construction", "brief", number, attempt)
    industry, country = rng.choice(catalog.industries), rng.choice(catalog.countries)
    services = _services(industry, rng) if rng.random() < 0.5 else ()
    return Brief(text="", industry=industry.name, country=country.code, services=services, profile=profile)


def worded(brief: Brief, company: Company, catalog: Catalog, seed: int) -> Brief:
    """The brief in the words of somebody who wants this company."""
    rng = stream(seed, "construction", "words")
    text = rng.choice(_FORMS_WITH_SERVICES if brief.services else _FORMS).format(
        description=company.description,
        title=catalog.industry(company.industry).title,
        country=catalog.country(company.country).name,
        services=" and ".join(catalog.service(kind).title.lower() for kind in brief.services),
    )
    return brief.replace(text=text)  # type: ignore[no-any-return]


def _services(industry: Industry, rng: Random) -> tuple[str, ...]:
    """One or two kinds that such companies tend to have."""
    kinds = sorted(industry.services)
    weights = [industry.services[kind] for kind in kinds]
    return tuple(dict.fromkeys(rng.choices(kinds, weights, k=2)))
