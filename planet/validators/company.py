"""V01: the company is complete, anonymised, and fits its country.

Anonymised means what can be checked without a list of real companies: no placeholder, no way to reach
anybody, nothing that looks like an identifier.
"""

import re

from planet.errors import CatalogError
from planet.records.world import Company
from planet.validators.report import Violation
from planet.validators.subject import Subject
from planet.validators.text import LONGEST_NAME, problem_of, shown

LONGEST_DESCRIPTION = 300

_PLACEHOLDER = re.compile(
    r"(acme|example|placeholder|foo|foobar|tbd|n/a|none|null|unnamed|untitled|unknown|sample)"
    r"|((your|my|the|a|test|some|dummy|sample) )?(company|business|organi[sz]ation)( name| [a-z]| \d+)?"
    r"|.*(\b(acme|lorem ipsum|placeholder|todo)\b|[<>{}\[\]]|__|\bxxx).*",
    re.IGNORECASE,
)
_IDENTIFYING = (
    ("an e-mail address", re.compile(r"\S@\S")),
    (
        "a web address",
        re.compile(r"://|\bwww\.|\b[\w-]+\.(com|org|net|io|co|ai|app|biz|info|dev)\b", re.IGNORECASE),
    ),
    ("a telephone or registration number", re.compile(r"(\d[\s().+/-]*){7,}|\d{5,}")),
    ("a token", re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])[\w-]{12,}")),
)


def company_is_sound(subject: Subject) -> list[Violation]:
    """V01."""
    company = subject.world.company
    return [*_incomplete(company), *_identifying(company), *_misplaced(company, subject)]


def _incomplete(company: Company) -> list[Violation]:
    found = []
    for field, text in company.model_dump().items():
        longest = LONGEST_DESCRIPTION if field == "description" else LONGEST_NAME
        problem = problem_of(text, longest)
        if problem:
            found.append(_violation(field, f"the company's {field} {problem}"))
    return found


def _identifying(company: Company) -> list[Violation]:
    found = []
    if _PLACEHOLDER.fullmatch(company.name.strip()[:LONGEST_NAME]):
        found.append(
            _violation("name", f"the company's name {shown(company.name)} is a placeholder; invent a name")
        )
    for field in ("name", "description"):
        text = getattr(company, field)[:LONGEST_DESCRIPTION]
        for what, pattern in _IDENTIFYING:
            if pattern.search(text):
                found.append(
                    _violation(field, f"the company's {field} {shown(text)} holds {what}; leave it out")
                )
                break
    return found


def _misplaced(company: Company, subject: Subject) -> list[Violation]:
    found = []
    for field, look_up in (("industry", subject.catalog.industry), ("country", subject.catalog.country)):
        try:
            look_up(getattr(company, field))
        except CatalogError as error:
            found.append(_violation(field, str(error)))
    if any(v.where == "company.country" for v in found):
        return found
    country = subject.catalog.country(company.country)
    for field, right in (
        ("currency", (country.currency,)),
        ("locale", (country.locale,)),
        ("time_zone", country.time_zones),
    ):
        seen = getattr(company, field)
        if seen.strip() and seen not in right:
            message = f"{field} {shown(seen)} does not fit {country.name}; use {' or '.join(right)}"
            found.append(_violation(field, message))
    return found


def _violation(field: str, message: str) -> Violation:
    return Violation(validator="V01", link="company", where=f"company.{field}", message=message)
