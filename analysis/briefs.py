"""What the briefs of a run ask for, and which of them aim at a weakness report."""

from collections.abc import Collection, Iterable

from analysis.ledger import BriefRow, StepRow


def target_cells(brief: BriefRow) -> tuple[str, ...]:
    """The cells that a brief asks for; the first one, its goal, is what its world is judged by."""
    return tuple((brief.brief.get("target") or {}).get("cells", ()))


def aimed_briefs(steps: Iterable[StepRow], briefs: Iterable[BriefRow]) -> list[BriefRow]:
    """The briefs of some steps that aim at the report of their iteration, in the order given.

    Those that explore ask for cells too, drawn at random, so growth notes which ones aim; without its note,
    all that ask for a cell do. Briefs of other steps are left out: a live run may have added them since.
    """
    noted = {step.step: step.detail.get("aimed_briefs") for step in steps}
    return [brief for brief in briefs if brief.step in noted and _aims(brief, noted[brief.step])]


def _aims(brief: BriefRow, noted: Collection[str] | None) -> bool:
    return bool(target_cells(brief)) if noted is None else brief.brief_id in noted


def goals(briefs: Iterable[BriefRow]) -> frozenset[str]:
    """The cells that the worlds of briefs are judged by; cells that accompany a goal are left out."""
    return frozenset(cells[0] for brief in briefs if (cells := target_cells(brief)))
