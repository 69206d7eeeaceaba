"""An evaluation for a reader."""

from planet.author.artifacts import LINKS
from planet.author_eval.comparison import Comparison, wilson
from planet.author_eval.measure import Evaluation
from planet.refusal_words import refusal_words

_EXAMPLES = 3
"""Failed briefs of which the reason is shown."""


def told(evaluation: Evaluation) -> list[str]:
    """Success, validators, failures and cost, as lines."""
    e = evaluation
    tried = len(e.outcomes)
    mode = f", mode {e.mode}" if e.mode else ""
    lines = [f"author {e.author}{mode}: {tried} of {e.briefs} briefs tried"]
    if e.stopped:
        lines.append(f"  stopped early: {e.stopped}")
    if not tried:
        return lines
    low, high = wilson(e.admitted, tried)
    interval = f"95 % interval {low:.1%} to {high:.1%}"
    lines += [
        f"  admitted           {e.admitted} of {tried}, {e.admitted / tried:.1%} ({interval})",
        f"  validators passed  {e.passed:.1f} of 12 in the mean",
        f"  proposals          {sum(o.proposals for o in e.outcomes) / tried:.1f} per brief, of five links",
        f"  cost               {_cost(e)}",
    ]
    return [*lines, *_ends(e), *_fired(e), *_examples(e)]


def _cost(e: Evaluation) -> str:
    cost = e.cost
    total = (
        f"{cost.calls:,} calls, {cost.tokens_in:,} + {cost.tokens_out:,} tokens, {cost.dollars:.4f} dollars"
    )
    if not e.admitted:
        return f"{total}; no world was admitted"
    each = (
        f"{cost.calls / e.admitted:,.1f} calls, {cost.tokens / e.admitted:,.0f} tokens, "
        f"{cost.dollars / e.admitted:.4f} dollars"
    )
    return f"{total}; per admitted world {each}"


def _ends(e: Evaluation) -> list[str]:
    ordered = sorted(e.ends.items(), key=lambda item: (LINKS.index(item[0][1]), item[0][0]))
    return [
        f"  ended by           {what} at {link}: {count} ({refusal_words().get(what, what)})"
        for (what, link), count in ordered
    ]


def _fired(e: Evaluation) -> list[str]:
    counts = ", ".join(f"{what} {count}" for what, count in sorted(e.fired.items()))
    return [f"  on the way         {counts}"] if counts else []


def _examples(e: Evaluation) -> list[str]:
    failed = [o for o in e.outcomes if not o.admitted][:_EXAMPLES]
    return [f"  brief {o.number + 1}, {o.ends[0][1]}: {_shortened(str(o.problem))}" for o in failed]


def _shortened(text: str) -> str:
    return text if len(text) <= 240 else f"{text[:237]}..."


def told_apart(comparison: Comparison | None, names: tuple[str, str]) -> str:
    """One line on the difference."""
    if comparison is None:
        return "nothing to compare: there is no brief that both authors have tried"
    shares = [admitted / comparison.briefs for admitted in comparison.admitted]
    return (
        f"{names[0]} {shares[0]:.1%} against {names[1]} {shares[1]:.1%} of {comparison.briefs} briefs, "
        f"{comparison.alone[0]} and {comparison.alone[1]} of them alone: "
        f"McNemar's exact test, two-sided, p = {comparison.p:.4g}"
    )
