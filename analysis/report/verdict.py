"""The first sentence of a page: what came out, with its interval."""

from analysis.compare.standing import GREEDY, Standing
from analysis.intervals import Interval, points, shares


def run_verdict(standing: Standing | None) -> str:
    """One sentence about a run: its test if it was tested, else its validations so far."""
    if standing is None:
        return "Nothing was evaluated yet: the run has no validation and no test so far."
    tested = test_sentence(standing, standing.sampled)
    if tested is not None:
        return tested
    so_far = "Tested once so far" if standing.warm or standing.final else "Not tested yet"
    if not standing.curve:
        return f"{so_far}, and not validated."
    first, last = standing.curve[0], standing.curve[-1]
    if first is last:
        return f"{so_far}: validation all-pass is {shares(first.all_pass)} after {first.updates} updates."
    return (
        f"{so_far}: validation all-pass went from {shares(first.all_pass)} to {shares(last.all_pass)} "
        f"in {last.updates} updates."
    )


def test_sentence(standing: Standing, variant: str) -> str | None:
    """What the test says of one way of sampling; None unless warm start and final policy were both tested."""
    gain = test_gain(standing, variant)
    if gain is None:
        return None
    before, after = (side[variant].all_pass().mean for side in (standing.warm, standing.final))
    worlds = len(set(standing.final[variant].worlds))
    how = GREEDY if variant == GREEDY else "sampled"
    return (
        f"Test all-pass ({how}) {moved(gain)}: {before:.1%} after the warm start, {after:.1%} after "
        f"{standing.updates} updates, {points(gain)} points (95 % interval over {worlds} worlds, one seed)."
    )


def test_gain(standing: Standing, variant: str) -> Interval | None:
    """What the test gained; None unless both warm start and final policy were tested."""
    return standing.gain(variant)


def moved(gap: Interval) -> str:
    """In which direction, if in any."""
    if gap.low > 0:
        return "rose"
    return "fell" if gap.high < 0 else "did not change beyond its interval"
