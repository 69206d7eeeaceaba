"""V11: every invariant has a document that the agent's own tools find, and that reveals no SQL or key."""

import re
from collections import Counter

from planet.records.world import Document, Invariant
from planet.validators.report import Violation
from planet.validators.subject import Subject
from planet.validators.text import LONGEST_NAME, problem_of, shown
from planet.world.arguments import LONGEST_TEXT

LONGEST_BODY = 40
"""Words of a page."""

_SQL_WORDS = frozenset(["select", "where", "exists", "join", "union", "sql", "null"])
_WORD = re.compile(r"[a-z0-9]+")


def pages_state_rules(subject: Subject) -> list[Violation]:
    """V11."""
    found = []
    for key, count in Counter(d.id for d in subject.world.documents).items():
        if count > 1:
            found.append(_fault(key, f"{count} documents have the id {shown(key)}; number them apart"))
    secrets = _secrets(subject)
    allowed = _own_words(subject)
    for document in subject.world.documents:
        problem = _form_problem(document) or _leak(document, secrets, allowed)
        if problem:
            found.append(_fault(document.id, f"document {shown(document.id)} {problem}"))
    for invariant in subject.key.invariants:
        problem = _rule_problem(invariant, subject)
        if problem:
            found.append(_fault(invariant.id, f"{invariant.id}: {problem}"))
    return found


def _form_problem(document: Document) -> str | None:
    for field, longest in (("id", LONGEST_NAME), ("title", 2 * LONGEST_NAME), ("body", LONGEST_TEXT)):
        problem = problem_of(getattr(document, field), longest)
        if problem:
            return f"has an unusable {field}: it {problem}"
    words = sum(any(c.isalnum() for c in word) for word in document.body.split())
    return f"has {words} words; a page has at most {LONGEST_BODY}" if words > LONGEST_BODY else None


def _leak(document: Document, secrets: re.Pattern[str], allowed: frozenset[str]) -> str | None:
    text = f"{document.title} {document.body}"
    secret = secrets.search(text)
    if secret:
        return f"reveals {shown(secret.group())}, which belongs to the key"
    sql = sorted(set(_WORD.findall(text.lower())) & (_SQL_WORDS - allowed))
    if sql or ";" in text:
        return f"reads like SQL ({shown(sql[0] if sql else ';')}); say it in plain words"
    return None


def _secrets(subject: Subject) -> re.Pattern[str]:
    """Ids of rules, and ids of records: a page speaks of kinds of records, never of one."""
    names = [re.escape(i.id) for i in subject.key.invariants]
    prefixes = [re.escape(r.prefix) + r"-\d+" for r in subject.world.layout.resources]
    either = "|".join([*names, *prefixes]) or "(?!)"  # with nothing to hide, a pattern that never matches
    return re.compile(rf"(?<!\w)({either})(?!\w)", re.IGNORECASE)


def _own_words(subject: Subject) -> frozenset[str]:
    """Words of the world's own names: a page about a join date says join."""
    names = [s.name for s in subject.world.graph.services]
    for resource in subject.world.layout.resources:
        names += [
            resource.name,
            *(c.name for c in resource.columns),
            *(v for c in resource.columns for v in c.values),
        ]
    return frozenset(word for name in names for word in _WORD.findall(name.lower()))


def _rule_problem(invariant: Invariant, subject: Subject) -> str | None:
    """Whether an agent that searches for the trigger's words finds and reads the rule."""
    page = invariant.document_id
    query = f"{invariant.table} {invariant.column}".replace("_", " ")
    hits = subject.tools["search_documents"](subject.pages, {"query": query}, [])
    if page not in [row["id"] for row in (hits.payload or {"rows": []})["rows"]]:
        return f"searching documents for {shown(query)} does not show {shown(page)} on the first page"
    read = subject.tools["get_document"](subject.pages, {"id": page}, [])
    part = _unnamed(invariant, f"{(read.payload or {}).get('body', '')}")
    if part is None:
        return None
    name = _plain(getattr(invariant, part))
    return f"document {shown(page)} does not name the {part.replace('_', ' ')}, {shown(name)}"


def _unnamed(invariant: Invariant, body: str) -> str | None:
    """A part of the rule that the page does not name in whole words of its own; None: it names all.

    Longer names are looked for first, so that a word inside one does not stand for another part.
    """
    left = _plain(body)
    parts = ("table", "column", "value", "effect_table", "effect_column", "effect_value")
    for part in sorted(parts, key=lambda part: -len(getattr(invariant, part))):
        left, found = re.subn(rf"\b{_plain(getattr(invariant, part))}(s|es)?\b", "|", left, count=1)
        if not found:
            return part
    return None


def _plain(text: str) -> str:
    """Words alone, in lower case."""
    return " ".join(_WORD.findall(text.lower()))


def _fault(where: str, message: str) -> Violation:
    return Violation(validator="V11", link="rules", where=where, message=message)
