"""The words of PLANET's worlds: what a policy with a closed vocabulary has to know."""

import re

from planet.catalog import Catalog
from planet.expand.rules import DISTRACTORS, RULE_PHRASES, TITLE
from planet.records.view import ROLES
from planet.tasks.phrasing import phrasings

_FIELD = re.compile(r"\{[a-z0-9_]+\}|[\[\]]")
_TOKEN = re.compile(r"[a-z]+|[^\sa-z]")
_TOOL_WORDS = (
    "search",
    "list",
    "get",
    "update",
    "documents",
    "document",
    "query",
    "page",
    "id",
    "label",
    "title",
    "body",
)
_MARKS = ("=", "<", ">", "contains", ".", ",", ":", "true", "false", "none")


def all_words(catalog: Catalog) -> tuple[str, ...]:
    """Sorted distinct words and marks of tools, columns, values, phrasings, pages, services and roles."""
    texts = [TITLE, *(line for lines in phrasings().values() for line in lines)]
    texts += [line for lines in RULE_PHRASES.values() for line in lines]
    texts += [part for pair in DISTRACTORS for part in pair]
    texts += ["above below after before"]  # how conditions are said
    texts += [service.kind for service in catalog.services] + list(ROLES)
    found = {token for text in texts for token in _TOKEN.findall(_FIELD.sub(" ", text.replace("_", " ")))}
    return tuple(sorted(found | set(_TOOL_WORDS) | set(_MARKS) | set(catalog.words())))
