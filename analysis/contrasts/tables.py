"""What a sweep found, as tables of text: for a terminal, and as Markdown for a page."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

from analysis.contrasts.aims import Aim
from analysis.contrasts.arms import Arm
from analysis.contrasts.contrast import Contrast, ranges_over
from analysis.contrasts.families import FamilyOfArm
from analysis.contrasts.measures import MEASURES
from analysis.contrasts.sweep import SEEDS, case_study, of_seeds
from analysis.contrasts.verdict import p_text
from analysis.intervals import Interval, points
from planet.text_table import align, markdown


class Table(NamedTuple):
    """A titled table of text; `left` columns are aligned left."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]
    left: tuple[int, ...] = (0,)

    def text(self) -> str:
        """For a terminal."""
        return "\n".join([self.title, *align(self.header, self.rows, self.left)])

    def markdown(self) -> str:
        """For a page."""
        return "\n".join([f"**{self.title}**", "", *markdown(self.header, self.rows, self.left)])


def tables(
    arms: Sequence[Arm], found: Sequence[Contrast], aims: Sequence[Aim], families: Sequence[FamilyOfArm]
) -> list[Table]:
    """All tables that have rows, in reading order."""
    made = [scores(arms), costs(arms), *contrasted(found), judged(aims), by_family(families)]
    return [table for table in made if table.rows]


def scores(arms: Sequence[Arm]) -> Table:
    """Where the arms ended."""
    apart = len({a.seeds for a in arms}) > 1
    return Table(
        "Arms: test scores in percent, gains over the warm start in points [95 % interval over seeds]"
        + ("; scores of other seeds are those of other test tasks" if apart else ""),
        (
            "arm",
            "seeds",
            "temperature 1",
            "gain",
            "greedy",
            "gain",
            "reward",
            "IQM of families",
            "worst tenth",
        ),
        [
            (
                a.name,
                seeds_text(a.seeds),
                _percent(a.sampled),
                points(a.sampled_gain),
                _percent(a.greedy),
                points(a.greedy_gain),
                f"{a.reward:.3f}",
                _range(a.iqm),
                _percent(a.worst_tenth),
            )
            for a in arms
        ],
    )


def costs(arms: Sequence[Arm]) -> Table:
    """What the arms cost, how soon they learned, how they scatter."""
    return Table(
        "Arms: budgets, learning and scatter (means over seeds, half-way medians over those that held it; "
        f"scatter in points){_studies({a.name: a.seeds for a in arms})}",
        (
            "arm",
            "updates",
            "charged steps",
            "grown worlds",
            "area",
            "half-way: updates",
            "charged steps",
            "held",
            "forgotten",
            "sd of rollouts",
            "of seeds",
            "beats static",
        ),
        [
            (
                a.name,
                f"{a.updates:.0f}",
                f"{a.charged_steps:,.0f}",
                f"{a.admitted_worlds:.0f} of {a.briefs:.0f}" if a.briefs else "0",
                _percent(a.area),
                _count(a.threshold_updates),
                _count(a.threshold_charged),
                f"{a.threshold_held} of {a.seeds}",
                _percent(a.forgotten),
                _percent(a.rollout_sd),
                _percent(a.seed_sd),
                _beats(a),
            )
            for a in arms
        ],
    )


def contrasted(found: Sequence[Contrast]) -> list[Table]:
    """One table per pair of arms that were contrasted."""
    pairs = dict.fromkeys((c.one, c.other) for c in found)
    return [_contrast([c for c in found if (c.one, c.other) == pair]) for pair in pairs]


def _contrast(found: Sequence[Contrast]) -> Table:
    """The contrasts of one pair of arms, in the order of the measures."""
    over = ranges_over(found)
    kind = f"[95 % interval {over}]" if over else "(one seed, no interval)"
    return Table(
        f"{found[0].one} minus {found[0].other}, in points {kind}",
        ("measure", "difference", "seeds", "p", "Holm"),
        [
            (c.measure.title, points(c.interval), seeds_text(len(c.seeds)), p_text(c.p), p_text(c.holm))
            for measure in MEASURES
            for c in found
            if c.measure is measure
        ],
    )


def judged(aims: Sequence[Aim]) -> Table:
    """The aims and what became of them."""
    return Table(
        "Aims, named beforehand, by 95 % intervals that no adjustment has widened",
        ("aim", "found", "seeds", "outcome"),
        [(aim.title, _found(aim), seeds_text(aim.seeds), aim.outcome) for aim in aims],
        left=(0, 3),
    )


def by_family(families: Sequence[FamilyOfArm]) -> Table:
    """Test gain and validation loss of every family, one column per arm."""
    arms = list(dict.fromkeys(f.arm for f in families))
    names = list(dict.fromkeys(f.family for f in families))
    cells = {(f.family, f.arm): f for f in families}
    return Table(
        "Families: all-pass gained on test (forgotten in validation), in points; * targeted at most seeds"
        + _studies({f.arm: f.seeds for f in families}),
        ("family", *arms),
        [
            (_starred(name, [cells[name, arm] for arm in arms]), *(_family(cells[name, arm]) for arm in arms))
            for name in names
        ],
    )


def seeds_text(seeds: int) -> str:
    """How many seeds, and whether that is a case study."""
    return f"{seeds} (case study)" if seeds < SEEDS else str(seeds)


def _studies(seeds: Mapping[str, int]) -> str:
    """The end of a title: which arms are case studies."""
    few = case_study(seeds)
    return f"; {few}" if few else ""


def _starred(name: str, families: Sequence[FamilyOfArm]) -> str:
    seeds, targeted = sum(f.seeds for f in families), sum(f.targeted for f in families)
    return f"{name} *" if 2 * targeted > seeds else name


def _family(f: FamilyOfArm) -> str:
    gain = f"{100 * f.gain:+.1f}"
    return gain if f.forgotten is None else f"{gain} ({100 * f.forgotten:.1f})"


def _beats(a: Arm) -> str:
    if a.beats_static is None:
        return "-"
    share = _share(a.beats_static) if a.static_seeds > 1 else f"{a.beats_static.mean:.2f}"
    return share + (f" at {of_seeds(a.static_seeds)}" if a.static_seeds < a.seeds else "")


def _found(aim: Aim) -> str:
    if aim.found is None:
        return f"not determined: {aim.why}"
    return _share(aim.found) if aim.high == inf and aim.low > 0.5 else points(aim.found)


def _share(share: Interval) -> str:
    return f"{share.mean:.2f} [{share.low:.2f}, {share.high:.2f}]"


def _range(share: Interval | None) -> str:
    if share is None or share.low == share.high:
        return _percent(share and share.mean)
    return f"{100 * share.mean:.1f} [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _count(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"
