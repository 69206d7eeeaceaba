"""From free text to a brief, offline: the words of the text against the names and keywords of the catalog.

Each facet (country, industry, kind of service, resource) is a TF-IDF matrix over its entries. A term is a
whole name or keyword, or a word of a description; the text is cut greedily into the longest terms that a
facet knows, and each term speaks for one entry: one that it names, else the one it is most typical of.
"""

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator
from typing import Literal, NamedTuple, get_args

from planet.author.sizes import SIZES
from planet.catalog import Catalog, Country, Industry, ServiceKind
from planet.catalog.phrases import SLOT
from planet.errors import BriefError
from planet.records.frozen import Frozen
from planet.records.world import Brief, Profile

LONGEST_TEXT = 10_000
"""Characters; a brief is a few sentences, not a file."""

Facet = Literal["country", "industry", "service", "resource"]

LIMITS: dict[Profile, dict[Facet, int]] = {
    "compact": {"country": 1, "industry": 1, "service": 4, "resource": 3},
    "library": {
        "country": 1,
        "industry": 1,
        "service": SIZES["library"].services[1],
        "resource": SIZES["library"].slice[1],
    },
}
"""How many entries of a facet a world of each profile can be asked for."""

HINTS: dict[Facet, int] = {"country": 1, "industry": 3, "service": 2, "resource": 1}
"""Terms needed where no name or keyword was found: one city is enough, words of descriptions are weak."""

_NAME = 3  # a name or keyword counts as often as three words of a description
_LONGEST_TERM = 4  # words
_SHOWN = 5  # words or entries that the sentence lists of one kind


class Match(Frozen):
    """One entry of the catalog that the text names."""

    facet: Facet
    name: str  # country code, industry, kind of service or resource
    score: float  # sum of the TF-IDF weights of its terms, > 0; comparable within a facet
    words: tuple[str, ...]  # its terms as they stand in the text, in order


class Understanding(Frozen):
    """What was made of a text."""

    brief: Brief  # fields without a match are left to the author
    matched: tuple[Match, ...]  # facet by facet, in the order of the text
    sentence: str  # what was understood, what was left out and what is left to the author


def understand(text: str, catalog: Catalog, profile: Profile = "compact") -> Understanding:
    """The brief that `text` asks for; BriefError when the text is empty or too long.

    A text without any match gives an open brief and a sentence that says so.
    """
    text = _clean(text)
    kept: list[Match] = []
    left_out: list[Match] = []
    for facet in get_args(Facet):
        found = _matches(facet, text, catalog)
        best = sorted(found, key=lambda match: -match.score)[: LIMITS[profile][facet]]
        if facet == "resource":  # a table comes with its service, so both must have been kept
            services = {match.name for match in kept if match.facet == "service"}
            best = [match for match in best if catalog.resource(match.name).service in services]
        kept += [match for match in found if match in best]
        left_out += [match for match in found if match not in best]
    names = {facet: tuple(m.name for m in kept if m.facet == facet) for facet in get_args(Facet)}
    brief = Brief(
        text=text,
        country=next(iter(names["country"]), None),
        industry=next(iter(names["industry"]), None),
        services=names["service"],
        resources=names["resource"],
        profile=profile,
    )
    sentence = _sentence(kept, left_out, catalog) + _elsewhere(text, catalog)
    return Understanding(brief=brief, matched=tuple(kept), sentence=sentence)


def _clean(text: str) -> str:
    """One line of printable characters."""
    if len(text) > LONGEST_TEXT:
        raise BriefError(
            f"the brief has {len(text):,} characters; at most {LONGEST_TEXT:,} are read, so shorten it"
        )
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not line:
        raise BriefError(
            "the brief is empty; write e.g. 'a Brazilian manufacturer with sales, support and a warehouse'"
        )
    return line


def _sentence(kept: list[Match], left_out: list[Match], catalog: Catalog) -> str:
    if not kept:
        return "Nothing in the brief was recognised: country, industry and services are left to the author."
    understood, missing = [], []
    for facet, plural in zip(get_args(Facet), ("country", "industry", "services", "resources"), strict=True):
        matches = [match for match in kept if match.facet == facet]
        if matches:
            understood.append(f"{plural} {', '.join(_told(match, catalog) for match in matches)}")
        else:
            missing.append(plural)
    sentence = f"Understood: {'; '.join(understood)}."
    if left_out:
        shown = [_told(match, catalog) for match in left_out[:_SHOWN]]
        more = f" and {len(left_out) - _SHOWN} more" if len(left_out) > _SHOWN else ""
        sentence += f" Left out, more than one world holds: {', '.join(shown)}{more}."
    if missing:
        sentence += f" Left to the author for lack of a match: {', '.join(missing)}."
    return sentence


def _elsewhere(text: str, catalog: Catalog) -> str:
    """What the text names that compact worlds have not, as the end of the sentence; empty: nothing."""
    if catalog.whole is None:
        return ""
    found: dict[str, str] = {}
    for facet in get_args(Facet):
        own = _entries(facet, catalog)
        known = {term for entry in own.values() for term in entry.terms}
        others = {name: e for name, e in _entries(facet, catalog.whole).items() if name not in own}
        owners = {term: name for name, entry in others.items() for term in entry.names - known}
        for term, shown in _cut(_tokens(text), owners, frozenset()):
            name = owners[term]
            found.setdefault(catalog.whole.country(name).name if facet == "country" else name, shown)
    told = [f'{name} (from "{shown}")' for name, shown in found.items()][:_SHOWN]
    return f" Only library worlds (--profile library) have: {', '.join(told)}." if told else ""


def _told(match: Match, catalog: Catalog) -> str:
    name = catalog.country(match.name).name if match.facet == "country" else match.name
    return f'{name} (from "{", ".join(match.words[:_SHOWN])}")'


# ── terms ─────────────────────────────────────────────────────────────────────────────────────────


class _Token(NamedTuple):
    raw: str  # as it stands in the text
    word: str  # singular, lower-case, without accents
    shout: str | None  # "=US" for a short word in capitals, which tells "US" from "us" and "IT" from "it"


class _Entry(NamedTuple):
    names: frozenset[str]  # terms that name it
    terms: list[str]  # all its terms, as often as they count


def _tokens(text: str) -> list[_Token]:
    tokens = []
    for raw in re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text)):
        plain = unicodedata.normalize("NFKD", raw.casefold())
        word = singular("".join(c for c in plain if not unicodedata.combining(c)))
        tokens.append(_Token(raw, word, f"={raw}" if raw.isupper() and 2 <= len(raw) <= 3 else None))
    return tokens


def singular(word: str) -> str:
    """A lower-case English word without its plural, as far as its ending tells."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    )


def _entry(names: Iterable[str], described: Iterable[str]) -> _Entry:
    named = [_term(name) for name in names]
    words = [token.word for text in described for token in _tokens(SLOT.sub(" ", text))]
    return _Entry(frozenset(named), named * _NAME + words)


def _term(name: str) -> str:
    """All words of a name or keyword as one term; of a short word in capitals, the capitals."""
    tokens = _tokens(name.replace("_", " "))
    if len(tokens) == 1 and tokens[0].shout:
        return tokens[0].shout
    return " ".join(token.word for token in tokens)


def _of_country(country: Country) -> _Entry:
    names = _entry([country.name, country.adjective, *country.aliases], [])
    return names._replace(terms=names.terms + [_term(city) for city in country.cities])


def _of_industry(industry: Industry) -> _Entry:
    parts = [text for choices in industry.descriptions.parts.values() for text in choices]
    return _entry([industry.name, industry.title, *industry.keywords], [*industry.descriptions.forms, *parts])


def _of_service(kind: ServiceKind) -> _Entry:
    resources = [resource.name for resource in kind.resources]
    return _entry([kind.kind, kind.title, *kind.keywords, *resources], [kind.description])


# ── matching ──────────────────────────────────────────────────────────────────────────────────────


def _entries(facet: Facet, catalog: Catalog) -> dict[str, _Entry]:
    if facet == "country":
        return {country.code: _of_country(country) for country in catalog.countries}
    if facet == "industry":
        return {industry.name: _of_industry(industry) for industry in catalog.industries}
    if facet == "service":
        return {kind.kind: _of_service(kind) for kind in catalog.services}
    return {
        resource.name: _entry([resource.name], [])
        for resource in catalog.resources.values()
        if resource.tools
    }


def _matches(facet: Facet, text: str, catalog: Catalog) -> list[Match]:
    """Entries of the facet that the text names, or else hints at, in order of their first term."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

    entries = _entries(facet, catalog)
    vectorizer = TfidfVectorizer(analyzer=_identity, sublinear_tf=True)
    weights = vectorizer.fit_transform(
        [entry.terms for entry in entries.values()]
    ).toarray()  # [entries, terms]
    known = vectorizer.vocabulary_
    found: dict[str, dict[str, float]] = {}  # entry -> its terms as they stand in the text -> weight
    named: set[str] = set()
    for term, shown in _cut(_tokens(text), known, ENGLISH_STOP_WORDS):
        weight = dict(zip(entries, weights[:, known[term]], strict=True))
        owners = [name for name, entry in entries.items() if term in entry.names]
        name = max(owners or entries, key=lambda entry: weight[entry])
        found.setdefault(name, {})[shown] = float(weight[name])
        named |= {name} if owners else set()
    return [
        Match(facet=facet, name=name, score=round(sum(terms.values()), 4), words=tuple(terms))
        for name, terms in found.items()
        if (name in named if named else len(terms) >= HINTS[facet])
    ]


def _identity(terms: list[str]) -> list[str]:
    return terms


def _cut(tokens: list[_Token], known: Container[str], stop: Container[str]) -> Iterator[tuple[str, str]]:
    """(term, as it stands in the text): the longest known terms from left to right, the rest passed over."""
    place = 0
    while place < len(tokens):
        step = 1
        for length in range(min(_LONGEST_TERM, len(tokens) - place), 0, -1):
            span = tokens[place : place + length]
            term = " ".join(token.word for token in span)
            if length == 1:
                term = _single(span[0], known, stop)
            if term in known:
                yield term, " ".join(token.raw for token in span)
                step = length
                break
        place += step


def _single(token: _Token, known: Container[str], stop: Container[str]) -> str:
    """The term of one word alone; empty for "it" and its like, but "IT" in capitals may be a name."""
    if token.shout in known:
        return str(token.shout)
    return "" if token.raw.casefold() in stop else token.word
