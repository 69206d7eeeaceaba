"""What a sweep will do and cost, before it does: its runs, measured or guessed, and its plan."""

from analysis.run_result import PLAN, RunResult
from loop.costs import costs
from loop.learning.language import require_words
from loop.reporting.progress import span
from loop.sweep.places import Places
from loop.sweep.plan import plan_of, read_plan, require_equal
from loop.sweep.progress import Estimate
from loop.sweep.runs import Sweep, SweepArm, needs
from planet.identity import digest
from planet.text_table import align


def dry_run(sweep: Sweep, places: Places, jobs: int) -> list[str]:
    """The runs as a table, then costs, time and plan. SweepError when a stored plan differs."""
    for arm in sweep.arms:
        require_words(arm.config)
    plan = plan_of(sweep)
    stored = read_plan(places.results / PLAN)
    if stored is not None:
        require_equal(stored, plan, places.results / PLAN)
    estimate = Estimate(sweep, places)
    header = ("arm", "seeds", "done", "updates", "charged steps", "time a run", "waits for")
    rows = [_row(arm, sweep, estimate) for arm in sweep.arms]
    table = align(header, rows, left=(0, 1, 6))
    return [*table, "", *_totals(sweep, places, estimate, jobs), *_planned(sweep, digest(plan))]


def _row(arm: SweepArm, sweep: Sweep, estimate: Estimate) -> tuple[str, ...]:
    own = [r for (name, _), r in estimate.results().items() if name == arm.name]
    return (
        arm.name,
        _seeds(arm.seeds),
        f"{len(own)}/{len(arm.seeds)}",
        str(arm.config.planned_updates),
        _charged(own),
        _time(arm, estimate),
        ", ".join(needs(sweep.config, arm)) or "-",
    )


def _time(arm: SweepArm, estimate: Estimate) -> str:
    seconds = estimate.seconds(arm)
    if seconds is None:
        return "no estimate for this decoder"
    return f"{span(seconds)} {'measured' if estimate.measured(arm) else 'guessed'}"


def _charged(results: list[RunResult]) -> str:
    if not results:
        return "-"
    return f"{sum(r.charged_steps for r in results) / len(results):,.0f} measured"


def _seeds(seeds: tuple[int, ...]) -> str:
    whole = len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1))
    return f"{seeds[0]} to {seeds[-1]}" if whole else " ".join(map(str, seeds))


def _totals(sweep: Sweep, places: Places, estimate: Estimate, jobs: int) -> list[str]:
    runs = [(arm, costs(arm.config)) for arm in sweep.arms for _ in arm.seeds]
    steps = sum(c.env_steps[0] for _, c in runs)
    disk = sum(c.disk_bytes for _, c in runs)
    side = f"{jobs} seeds side by side" if jobs > 1 else "one seed at a time"
    left = estimate.left(jobs)
    time = "no estimate for this decoder" if left is None else f"about {span(left)} for what is left, {side}"
    return [
        f"runs       {len(runs)} of {len(sweep.arms)} arms at {len(sweep.seeds)} seeds",
        f"updates    {sum(c.updates for _, c in runs):,}",
        f"env steps  about {steps:,}, audits and going on for a charged budget apart",
        f"disk       about {disk / 1e6:,.0f} MB in {places.runs}, which may be removed afterwards",
        f"time       {time}",
    ]


def _planned(sweep: Sweep, plan: str) -> list[str]:
    config = sweep.config
    charged = config.budget.charged_steps
    spent = "as they fall, on the curves" if charged is None else charged
    pairs = ", ".join(f"{arm} against {control}" for arm, control in config.contrasts)
    return [
        f"budgets    updates; charged steps: {spent}",
        f"contrasts  {pairs or 'none named'}",
        f"metrics    {', '.join(config.metrics)}",
        f"test salt  {config.test_salt or 'none'}",
        f"plan       {plan}",
    ]
