"""How the eight kinds of request are said: patterns of their own, not the phrasings that made the text."""

import re
from collections.abc import Iterable
from functools import lru_cache

from planet.records.world import World
from tests.planet.second_checker.pages import spaced

_FORMS: dict[str, tuple[str, ...]] = {
    "update": (
        "set the {C} of {A} {ID} to {V}{MORE}",
        "{A} {ID} needs {SETS}",
        "(?:change|update) {A} {ID} : {SETS}",
        "in {A} {ID} {SETS}",
        "{V} must be the {C} of {A} {ID}(?: , and {V} its {C})?",
    ),
    "create": (
        "(?:create|add) a (?:new )?{A} for {P} {ID} with {SETS}",
        "(?:create|add) a (?:new )?{A} with {SETS} for {P} {ID}",
        "{P} {ID} (?:needs|must have) a new {A} (?::|with) {SETS}",
        "for {P} {ID} create a new {A} : {SETS}",
        "create for {P} {ID} a record of {A} with {SETS}",
    ),
    "two_hop": (
        "set the {C} of the {PATH} of {A} {ID} to {V}{MORE}",
        "look at {A} {ID} : its {PATH} needs {SETS}",
        "the {PATH} of {A} {ID} must have {SETS}",
        "from {A} {ID} get to its {PATH} : set {SETS}",
        "(?:update|find) the {PATH} of {A} {ID} (?::|and set) {SETS}",
    ),
    "lookup": (
        "give {A} {ID} the same {BOTH} as {A} {FROM}",
        "copy the {BOTH} from {A} {FROM} to {A} {ID}",
        "{A} {ID} must have the {BOTH} of {A} {FROM}",
        "the {BOTH} of {A} {ID} must be as in {A} {FROM}",
        "get the {BOTH} of {A} {FROM} and set the same for {A} {ID}",
        "update {A} {ID} : the same {BOTH} as {A} {FROM}",
    ),
    "disambiguate": (
        "set {SETS} for {WHO}",
        "{WHO} needs {SETS}",
        "(?:find|update) {WHO} :(?: set)? {SETS}",
        "for {WHO} {SETS}",
    ),
    "conditional": (
        "for {WHICH} set {SETS}",
        "{WHICH} (?:needs|must have) {SETS}",
        "{P} {ID} : the {A} {IF} must have {SETS}",
        "(?:find|update) {WHICH} (?:and set|:) {SETS}",
        "{IF} , the {A} of {P} {ID} must have {SETS}",
    ),
    "propagate": (
        "set the {C} of {A} {ID} to {V}{MORE} , then follow {POLICY}",
        "{A} {ID} needs {SETS} . do what {POLICY} says",
        "change {A} {ID} : {SETS} , and follow {POLICY}",
        "update {A} {ID} to {SETS} and do what {POLICY} says",
        "the {C} of {A} {ID} must be {V}{MORE} . follow {POLICY}",
        "follow {POLICY} : set the {C} of {A} {ID} to {V}{MORE}",
    ),
    "repair": (
        "{A} {ID} with {C} {V} breaks {POLICY} . repair this without changing the {A}",
        "{POLICY} on {A} {C} is not followed for {A} {ID} . repair this , keep the {C} {V}",
        "repair what {POLICY} says for {A} {ID} : its {C} is {V} and must stay",
        "for {A} {ID} {POLICY} is not followed : its {C} is {V} . repair this and keep the {A} as is",
        "do what {POLICY} says for {A} {ID} with {C} {V} , without changing the {A}",
        "the {C} {V} of {A} {ID} must stay : repair what is not as {POLICY} says",
    ),
}  # fmt: skip
_PARTS = {
    "SETS": "{SET}(?: (?:and|,) {SET})?",
    "SET": "(?:(?:the|its) )?{C}(?: to| must be)? {V}",
    "MORE": "(?: and (?:the|its) {C}(?: to)? {V})?",
    "BOTH": "{C}(?: and (?:the )?{C})?",
    "PATH": "{L}(?: of the {L})?",
    "WHO": "the {A}(?: called)? {LABEL}(?: whose {D} is| with {D}| , its {D} is) {X}",
    "WHICH": "the {A} of {P} {ID} {IF}",
    "IF": "(?:with|whose) {M}(?: is)? {OP} {N}",
    "POLICY": "the policy(?: {DOC})?",
}
JOINS = (" . then ", " , then ", " . and ")
"""Between two requests of one instruction."""
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

Words = dict[str, list[str]]
"""Place in a pattern -> the words found there, in order."""


def sayings(world: World) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """(family, pattern) for every way to say a request about the tables that the world offers."""
    offered = [world.layout.resource(name) for name in world.slice]
    columns = [c for r in offered for c in r.columns]
    return _compiled(
        _any(spaced(r.name) for r in offered),
        _any(noun(c.name) for c in columns),
        _any(noun(c.name) for c in columns if c.ref),
        _any(spaced(v) for c in columns for v in c.values),
    )


@lru_cache(maxsize=64)
def _compiled(tables: str, columns: str, links: str, values: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    value = f"{_DATE}|{_NUMBER}|{values}"
    places = {
        **dict.fromkeys("AP", tables),
        **dict.fromkeys("CDM", columns),
        **dict.fromkeys(("ID", "FROM"), "[A-Z]+-[0-9]+"),
        "L": links,
        "V": value,
        "N": f"{_DATE}|{_NUMBER}",
        "LABEL": '"[^"]*"',
        "X": f'"[^"]*"|{value}',
        "OP": "above|below|after|before",
        "DOC": "DOC-[0-9]+",
    }
    return tuple(
        (family, re.compile(_filled(form, places))) for family, forms in _FORMS.items() for form in forms
    )


def _filled(form: str, places: dict[str, str]) -> str:
    while any(f"{{{part}}}" in form for part in _PARTS):
        form = re.sub(r"\{([A-Z]+)\}", lambda hit: _PARTS.get(hit[1], hit[0]), form)
    pieces = re.split(r"\{([A-Z]+)\}", form.replace(" . ", r" \. "))
    for number in range(1, len(pieces), 2):
        pieces[number] = f"(?P<{pieces[number]}_{number}>{places[pieces[number]]})"
    return "".join(pieces)


def words_of(hit: re.Match[str]) -> Words:
    """What a pattern found, place by place."""
    found: Words = {}
    for name, text in hit.groupdict().items():
        if text is not None:
            found.setdefault(name.partition("_")[0], []).append(text)
    return found


def noun(name: str) -> str:
    """What a column is called: a reference is called by what it refers to."""
    return spaced(name.removesuffix("_id"))


def _any(texts: Iterable[str]) -> str:
    longest_first = sorted(set(texts), key=lambda text: (-len(text), text))
    return "|".join(map(re.escape, longest_first)) or "(?!)"
