"""What an analysis of clusters shows, in words: every verdict follows from the numbers by the bounds here."""

from collections.abc import Sequence

from analysis.clustering.agreement import Agreement

SIGNIFICANT = 0.05
GRADES = (
    (0.1, "hardly"),
    (0.3, "weakly"),
    (0.6, "partly"),
    (0.9, "largely"),
    (float("inf"), "almost wholly"),
)
"""Adjusted mutual information below a bound -> how far two groupings agree, where that is beyond chance."""
SEPARATES = 0.3
"""From this adjusted mutual information on, clusters separate the values of a label."""
ALIKE = 0.1
"""Below it, clusters have nearly the same composition of the label's values."""
SPACES = ("text", "tools")


def grade(found: Agreement) -> str:
    """How far two labellings agree: "no more than chance", or an adverb and "alike"."""
    if found.p > SIGNIFICANT or found.ami <= 0:
        return "no more alike than by chance"
    return f"{next(word for bound, word in GRADES if found.ami < bound)} alike"


def verdicts(found: Sequence[Agreement]) -> list[str]:
    """Sentences, the main one first."""
    by_pair = {(a.first, a.second): a for a in found}
    main = by_pair["text", "tools"]
    said = [f"Clusters of text and clusters of tool sets group the tasks {grade(main)} ({_numbers(main)})."]
    said += _beyond_template(main)
    for space in SPACES:
        said += _labels(space, [a for a in found if a.first == space and a.second != "tools"])
    return said + _phrasing(by_pair) + _published(by_pair)


def _numbers(a: Agreement) -> str:
    return f"AMI {a.ami:.3f}, ARI {a.ari:.3f}, p = {a.p:.3f}"


def _beyond_template(main: Agreement) -> list[str]:
    if main.p_within is None:
        return ["The tasks have no label `template`, so phrasing cannot be ruled out as a cause."]
    left = "remains" if main.p_within <= SIGNIFICANT else "is no more than chance"
    return [f"Among tasks of one phrasing template, the agreement {left} (p = {main.p_within:.3f})."]


def _labels(space: str, found: Sequence[Agreement]) -> list[str]:
    if not found:
        return []
    ranked = sorted(found, key=lambda a: -a.ami)
    told = ", ".join(f"{a.second} {a.ami:.3f}" for a in ranked)
    return [f"What clusters of {space} agree with, the most first (AMI): {told}."]


def _phrasing(by_pair: dict[tuple[str, str], Agreement]) -> list[str]:
    """Whether the texts group by how they are said rather than by what is to be done."""
    template = by_pair.get(("text", "template"))
    others = [by_pair[pair] for pair in (("text", "industry"), ("text", "services")) if pair in by_pair]
    if template is None or not others:
        return []
    best = max(others, key=lambda a: a.ami)
    holds = template.ami > best.ami
    return [
        f"That generated texts cluster by phrasing more than by subject {_verdict(holds)}: AMI with template "
        f"{template.ami:.3f}, with {best.second} {best.ami:.3f}."
    ]


def _published(by_pair: dict[tuple[str, str], Agreement]) -> list[str]:
    """The two published claims, judged by the label that tells domains apart."""
    label = next((name for name in ("industry", "services") if ("text", name) in by_pair), None)
    if label is None:
        return ["The tasks have no label `industry`, so whether clusters separate domains cannot be asked."]
    text, tools = by_pair["text", label], by_pair["tools", label]
    return [
        f"That clusters of text have nearly the same composition of domains {_verdict(text.ami < ALIKE)}: "
        f"AMI with {label} {text.ami:.3f}, below {ALIKE:g} counting as the same.",
        f"That clusters of tool sets separate domains {_verdict(tools.ami >= SEPARATES)}: AMI with {label} "
        f"{tools.ami:.3f}, {SEPARATES:g} or more counting as separate.",
    ]


def _verdict(holds: bool) -> str:
    return "holds" if holds else "does not hold"
