"""Contrasts of arms: paired by seed, on both budgets, adjusted, and called what they are."""

import csv
import re
from math import inf

import pytest

from analysis.contrasts.aims import Aim, aims, gap_closed
from analysis.contrasts.arms import arms, threshold
from analysis.contrasts.contrast import contrast, contrasts
from analysis.contrasts.curves import place_of
from analysis.contrasts.families import families
from analysis.contrasts.forest import caption
from analysis.contrasts.measures import MEASURES, charged_stage, common_budget
from analysis.contrasts.remarks import remarks
from analysis.contrasts.scores import by_family, forgotten, other_tasks, targeted_tasks, worst_tasks
from analysis.contrasts.sweep import MAIN, NAMED, as_sweep, read_sweep
from analysis.contrasts.tables import Table, contrasted, judged, scores, tables
from analysis.contrasts.verdict import p_text, power_statement, primary, verdict
from analysis.contrasts.write import write_contrasts
from analysis.errors import DataError
from analysis.intervals import Interval, points
from analysis.run_result import TargetedCell, Tries
from analysis.statistics.holm import holm
from analysis.statistics.paired import paired_interval
from analysis.statistics.permutation import paired_permutation
from analysis.style import line
from planet.identity import canonical_json, digest
from tests.analysis.simulated_sweep import GAINS, simulated_result, simulated_sweep, write_sweep

IN_SIMULATION = tuple(pair for pair in NAMED if pair[1] in GAINS)
"""The protocol's contrasts whose arms the simulated sweep has."""
MEASURE = {measure.name: measure for measure in MEASURES}


@pytest.fixture(scope="module")
def sweep():
    """Ten seeds of five arms; the closed loop is built to win on its targeted families alone."""
    return as_sweep("simulated", simulated_sweep())


@pytest.fixture(scope="module")
def found(sweep):
    """All of its contrasts, by measure and arms."""
    return {(c.measure.name, c.one, c.other): c for c in contrasts(sweep)}


def mean(tasks, stage="final_sampled"):
    return sum(getattr(task, stage).rate for task in tasks) / len(tasks)


def test_arms_stand_in_the_protocol_s_order(sweep):
    assert sweep.arms == ("closed_loop", "random_worlds", "placebo", "static", "oracle")
    assert sweep.seeds == tuple(range(10)) and not sweep.case_study()


def test_a_contrast_is_the_difference_of_final_scores_paired_by_seed(sweep, found):
    c = found["all_pass_sampled", "closed_loop", "static"]
    by_hand = tuple(
        mean(a.tasks) - mean(b.tasks)
        for a, b in zip(sweep.of("closed_loop"), sweep.of("static"), strict=True)
    )
    assert c.differences == pytest.approx(by_hand) and c.seeds == tuple(range(10))
    assert c.interval == pytest.approx(paired_interval(by_hand)) and c.over == "seeds"
    assert c.p == paired_permutation(by_hand)


def test_seeds_that_one_arm_lacks_are_left_out():
    results = [r for r in simulated_sweep() if r.arm != "placebo" or r.seed in (3, 5)]
    c = contrast(as_sweep("s", results), MEASURE["all_pass_sampled"], "closed_loop", "placebo")
    assert c.seeds == (3, 5) and c.case_study


def test_holm_adjusts_over_the_named_controls_of_a_measure_alone(found):
    named = [
        found["all_pass_greedy", "closed_loop", other] for other in ("random_worlds", "placebo", "static")
    ]
    assert [c.holm for c in named] == list(holm([c.p for c in named]))
    assert found["all_pass_greedy", "placebo", "random_worlds"].holm is None


def test_the_planted_gain_is_claimed_on_the_measure_that_decides_alone(found):
    for other in ("random_worlds", "placebo", "static"):
        targeted = found["targeted_sampled", "closed_loop", other]
        assert found["all_pass_sampled", "closed_loop", other].shown
        assert targeted.holm <= 0.05 and not targeted.shown
        assert found["others_sampled", "closed_loop", other].holm > 0.05


def test_a_contrast_that_has_no_runs_yet_counts_among_those_that_holm_adjusts_over():
    results = simulated_sweep(arms=("closed_loop", "random_worlds"))
    for named in (NAMED, NAMED[:1], ()):  # five by the plan, one by the plan, no plan: those that are there
        (c,) = [c for c in contrasts(as_sweep("s", results, named)) if c.measure is MEASURES[0]]
        assert c.holm == min(1.0, max(1, len(named)) * c.p)


def test_what_is_aimed_is_the_gain_on_targeted_cells_above_that_on_the_others(found):
    key = "closed_loop", "static"
    apart = zip(
        found["targeted_sampled", *key].differences, found["others_sampled", *key].differences, strict=True
    )
    assert found["aimed_sampled", *key].differences == pytest.approx([on - off for on, off in apart])


def test_targeted_cells_have_more_than_the_even_share_of_briefs(sweep):
    # 13 briefs over 4 cells: the even share is 3.25; two_hop has 6 and lookup 4, create 2 and update 1.
    assert sweep.targeted(0) == {"family:two_hop", "family:lookup"}


def test_when_all_cells_have_the_even_share_all_that_have_a_brief_are_targeted():
    cells = [
        TargetedCell(cell=f"family:{n}", rank=n, weight=1.0, seats=2, opportunities=9, rate=0.5)
        for n in (1, 2)
    ]
    alike = simulated_result("closed_loop", 0).replace(targeted=tuple(cells))
    assert as_sweep("s", [alike]).targeted(0) == {"family:1", "family:2"}
    assert as_sweep("s", [alike.replace(targeted=())]).targeted(0) == frozenset()


def test_targeted_and_other_tasks_part_the_test(sweep):
    run = sweep.of("static")[0]
    aimed, rest = targeted_tasks(run, sweep.targeted(0)), other_tasks(run, sweep.targeted(0))
    assert {t.family for t in aimed} == {"two_hop", "lookup"} and len(aimed) + len(rest) == len(
        run.tasks
    ) == 48


def test_a_seed_that_targets_nothing_has_no_other_cells(sweep):
    alike = [r.replace(targeted=()) for r in simulated_sweep(arms=("closed_loop", "static"), seeds=(0,))]
    untargeted = as_sweep("s", alike)
    assert MEASURE["others_sampled"].pair(untargeted, *untargeted.runs) is None
    assert MEASURE["others_sampled"].pair(sweep, *sweep.at(0)[:2]) is not None


def test_arms_beside_the_main_ones_share_no_look_with_them():
    arms_shown = ["closed_loop", "oracle", "random_worlds", "final_pool", *MAIN[2:]]
    looks = [str(line(place_of(arm, index))) for index, arm in enumerate(arms_shown)]
    assert len(set(looks)) == len(arms_shown)


def test_parts_of_the_test_are_measured_where_there_are_any(sweep, found):
    assert ("unseen_sampled", "closed_loop", "static") not in found  # the simulated test has one part
    results = simulated_sweep(arms=("closed_loop", "static"), seeds=(0,))
    unseen = [r.replace(tasks=(r.tasks[0].replace(part="test_unseen"), *r.tasks[1:])) for r in results]
    mine, theirs = MEASURE["unseen_sampled"].pair(sweep, *unseen)
    assert (mine, theirs) == tuple(r.tasks[0].final_sampled.rate for r in results)


def test_equal_charged_steps_compare_the_extended_run(sweep, found):
    growing, static = sweep.of("closed_loop")[0], sweep.of("static")[0]
    assert charged_stage(sweep, growing) == "final"  # charged 18,000, the budget of the extension
    assert charged_stage(sweep, static) == "extended"
    c = found["charged_test_sampled", "closed_loop", "static"]
    assert c.differences[0] == pytest.approx(mean(growing.tasks) - mean(static.tasks, "extended_sampled"))


def test_an_extension_that_fell_short_compares_nothing():
    results = simulated_sweep(arms=("closed_loop", "static"), seeds=(0,))
    short = results[1].replace(extension=results[1].extension.replace(reached=False))
    assert charged_stage(as_sweep("s", [results[0], short]), short) is None


def test_without_extensions_curves_are_read_at_the_budget_of_both(sweep):
    without = as_sweep("s", simulated_sweep(arms=("closed_loop", "static"), seeds=(0,), extended=False))
    growing, static = without.runs
    assert common_budget(growing, static) == 6000  # all that static was charged
    mine, theirs = MEASURE["charged_validation"].pair(without, growing, static)
    curve = growing.curve
    # 6,000 lies a quarter of the way from 4,000 to 12,000.
    assert mine == pytest.approx(0.75 * curve[1].all_pass + 0.25 * curve[2].all_pass)
    assert theirs == static.curve[-1].all_pass
    assert MEASURE["charged_test_sampled"].pair(without, growing, static) is None


def test_updates_of_an_extension_are_not_equal_updates(sweep):
    static = sweep.of("static")[0]
    assert static.curve[-1].updates == 180
    y = [p.all_pass for p in static.curve[:4]]
    pair = MEASURE["area_updates"].pair(sweep, static, static)
    assert pair[0] == pytest.approx((y[0] / 2 + y[1] + y[2] + y[3] / 2) / 3)  # trapezoids of equal width
    assert forgotten(static, "update") == pytest.approx(
        max(p.families["update"] for p in static.curve[:4]) - static.curve[3].families["update"]
    )


def test_one_seed_has_an_interval_over_its_worlds():
    one = as_sweep("s", simulated_sweep(arms=("closed_loop", "static"), seeds=(0,)))
    c = contrast(one, MEASURE["all_pass_sampled"], "closed_loop", "static")
    assert c.over == "worlds" and -1 < c.interval.low < c.interval.mean < c.interval.high < 1
    assert c.p == 1.0 and one.case_study() == "a case study"
    worst = contrast(one, MEASURE["worst_tenth"], "closed_loop", "static")
    assert worst.interval.low == -inf and points(worst.interval) == f"{100 * worst.interval.mean:+.1f}"


def test_the_verdict_names_seeds_size_interval_and_p(found):
    text = verdict([c for c in found.values() if c.other == "random_worlds"])
    c = found["all_pass_sampled", "closed_loop", "random_worlds"]
    low, mid, high = (f"{100 * edge:+.1f}" for edge in (c.interval.low, c.interval.mean, c.interval.high))
    assert text == (
        f"Over 10 seeds: after equal updates closed_loop ends {mid[1:]} points above random_worlds in test "
        f"all-pass at temperature 1 (95 % interval {low} to {high} over seeds; permutation p = {p_text(c.p)},"
        f" Holm-adjusted {p_text(c.holm)}); a gain."
    )


def test_the_verdict_names_the_other_contrasts_that_are_shown(found):
    told = verdict(list(found.values())).split(" Shown as well: closed_loop ends ")
    assert [text.split(" points above ")[1].split()[0] for text in told] == [
        "random_worlds",
        "placebo",
        "static",
    ]
    assert all(text.endswith("; a gain.") for text in told)
    known = [c._replace(holm=1.0) if c.other == "static" else c for c in found.values()]
    assert "above static" not in verdict(known) and "above placebo" in verdict(known)


def test_a_case_study_is_called_one():
    three = contrasts(as_sweep("s", simulated_sweep(seeds=range(3))))
    assert verdict(three).startswith("Case study of 3 seeds: ")
    assert verdict(three).endswith("; 3 seeds cannot show a difference, whatever its size.")
    said = power_statement(primary(three))
    assert said.startswith("3 seeds cannot give p <= 0.05 (the smallest is 0.25), and the scatter seen")
    assert said.endswith("is too rough a guess of so few to tell what 10 would see.") and "%" not in said


def test_an_arm_of_few_seeds_is_a_case_study_beside_one_of_ten():
    some = as_sweep("s", [r for r in simulated_sweep() if r.arm != "placebo" or r.seed < 3])
    assert some.case_study() == "case studies: placebo (3 seeds)"
    assert some.case_study(["static", "oracle"]) == "" and some.case_study(["placebo"]) == "a case study"
    found = contrasts(some)
    made = tables(arms(some), found, aims(some, found), families(some))
    told = {row[0]: row[1] for row in made[0].rows}
    assert told["placebo"] == "3 (case study)" and told["static"] == "10"
    assert made[1].title.endswith("; case studies: placebo (3 seeds)")
    of_placebo = next(t for t in made if t.title.startswith("closed_loop minus placebo"))
    assert {row[2] for row in of_placebo.rows} == {"3 (case study)"}
    assert made[-1].title.endswith("; case studies: placebo (3 seeds)")
    shown = [c for c in found if c.holm is not None]
    assert "3 to 10 seeds, below 10 a case study" in caption(shown)


def test_a_case_study_claims_nothing_however_small_its_p():
    nine = contrasts(as_sweep("s", simulated_sweep(seeds=range(9), arms=("closed_loop", "random_worlds"))))
    first = primary(nine)
    assert first.holm < 0.05 and not first.shown
    assert verdict(nine).endswith("; a case study claims no difference.")
    assert caption(nine).endswith("; a case study claims none of them.")


def test_titles_and_captions_say_what_their_intervals_range_over(sweep, found):
    def told(sweep):
        return contrasted(contrasts(sweep))[0].title

    assert told(sweep) == "closed_loop minus random_worlds, in points [95 % interval over seeds]"
    assert "paired by seed (10 seeds), with 95 % intervals over seeds; " in caption(list(found.values()))
    one = as_sweep("s", simulated_sweep(arms=("closed_loop", "random_worlds"), seeds=(0,)))
    assert told(one).endswith("[95 % interval over the test worlds of the one seed]")
    assert "(1 seed: a case study), with 95 % intervals over the test worlds of the one seed; " in caption(
        contrasts(one)
    )


def test_power_is_told_at_the_level_of_holms_first_step_too():
    ten = primary(contrasts(as_sweep("s", simulated_sweep(seeds=range(10)))))
    alone, of_five = power_statement(ten), power_statement(ten, 5)
    assert alone.endswith("of sweeps gives p <= 0.05.") and of_five.startswith(alone[:-1])
    assert of_five.endswith("p <= 0.01, Holm's first step over 5.")
    seen = [float(n) for n in re.findall(r"points in (\d+)%", of_five)]
    assert len(seen) == 4 and seen[2] <= seen[0] and seen[3] <= seen[1]


def test_a_null_is_said_to_show_nothing():
    same = simulated_sweep(arms=("random_worlds",))
    renamed = [r.replace(arm="closed_loop") for r in same]
    text = verdict(contrasts(as_sweep("s", [*same, *renamed])))
    assert "ends 0.0 points above random_worlds" in text and text.endswith("; no difference is shown.")


def test_without_the_method_nothing_is_contrasted():
    assert verdict(contrasts(as_sweep("s", simulated_sweep(arms=("static", "placebo"))))).startswith(
        "No seed has both arms of a contrast that was named beforehand"
    )


def test_aims_are_met_only_by_whole_intervals():
    assert Aim("", Interval(0.06, 0.051, 0.07), 0.05, inf, 10).outcome == "met"
    assert Aim("", Interval(0.06, 0.04, 0.08), 0.05, inf, 10).outcome == "undecided"
    assert Aim("", Interval(0.02, 0.00, 0.04), 0.05, inf, 10).outcome == "missed"
    assert Aim("", Interval(0.0, -0.03, 0.01), -0.02, 0.02, 10).outcome == "undecided"
    assert Aim("", None, 0.7, inf, 10).outcome == "undecided"
    assert Aim("", Interval(0.06, 0.051, 0.07), 0.05, inf, 9).outcome == "case study"


def test_aims_of_missing_arms_are_not_judged(sweep, found):
    titles = [aim.title for aim in aims(sweep, list(found.values()))]
    assert "above balanced worlds" not in titles and "placebo within 2 points of random worlds" in titles
    assert titles[-1] == "70% of the gap from random worlds to the oracle closed"


def test_the_gap_closed_is_a_ratio_of_means(sweep):
    share, seeds = gap_closed(sweep, MEASURE["all_pass_sampled"])
    method, random, oracle = (
        sum(mean(r.tasks) for r in sweep.of(arm)) / 10 for arm in ("closed_loop", "random_worlds", "oracle")
    )
    assert share.mean == pytest.approx((method - random) / (oracle - random)) and seeds == 10
    assert (
        gap_closed(as_sweep("s", simulated_sweep(arms=("closed_loop", "random_worlds"))), MEASURES[0]) is None
    )


def test_arms_are_described_over_their_seeds(sweep):
    by_name = {arm.name: arm for arm in arms(sweep)}
    loop, static = by_name["closed_loop"], by_name["static"]
    assert (
        loop.seeds == 10
        and loop.updates == 60
        and loop.charged_steps == 18_000
        and loop.admitted_worlds == 13
    )
    assert static.charged_steps == 6_000 and static.beats_static is None
    gains = [mean(r.tasks) - mean(r.tasks, "warm_sampled") for r in sweep.of("closed_loop")]
    assert loop.sampled_gain == pytest.approx(paired_interval(gains))
    assert loop.beats_static.low > 0.5 and loop.iqm.low > static.iqm.mean
    assert loop.worst_tenth == pytest.approx(
        sum(worst_tasks(r, "final") for r in sweep.of("closed_loop")) / 10
    )


def test_the_threshold_is_half_way_to_the_best_arm(sweep):
    curves = [[p.all_pass for p in run.curve if p.updates <= 60] for run in sweep.at(0)]
    start = sum(curve[0] for curve in curves) / 5
    assert threshold(sweep, 0) == pytest.approx((start + max(map(max, curves))) / 2)
    loop = next(arm for arm in arms(sweep) if arm.name == "closed_loop")
    assert loop.threshold_held == 10 and (loop.threshold_updates, loop.threshold_charged) == (40, 12_000)


def test_an_arm_is_held_against_others_at_the_seeds_that_it_has(sweep):
    partly = as_sweep("s", [run for run in sweep.runs if run.arm != "oracle" or run.seed < 2])
    without = as_sweep("s", [run for run in sweep.runs if run.arm != "oracle"])
    assert [threshold(partly, seed) for seed in range(3)] == [threshold(without, seed) for seed in range(3)]
    own = next(arm for arm in arms(partly) if arm.name == "oracle")
    two = as_sweep("s", [run for run in sweep.runs if run.seed < 2])
    assert own.beats_static == next(arm for arm in arms(two) if arm.name == "oracle").beats_static
    assert own.static_seeds == 2
    assert "; scores of other seeds are those of other test tasks" in scores(arms(partly)).title
    assert "other seeds" not in scores(arms(without)).title


def test_families_are_told_by_arm(sweep):
    told = {(f.arm, f.family): f for f in families(sweep)}
    hop = told["closed_loop", "two_hop"]
    runs = sweep.of("closed_loop")
    assert hop.final == pytest.approx(
        sum(by_family(r, ("two_hop",), "final", "sampled")[0] for r in runs) / 10
    )
    assert hop.gain == hop.final - hop.warm > 0.2 and hop.targeted == 10
    assert told["closed_loop", "update"].targeted == 0


def test_too_few_rollouts_to_rank_tasks_by_have_no_worst_tenth():
    assert worst_tasks(simulated_result("static", 0, rollouts=7), "final") is None
    assert worst_tasks(simulated_result("static", 0, rollouts=8), "final") is not None
    few = as_sweep("s", simulated_sweep(rollouts=2, arms=("closed_loop", "static")))
    found = contrasts(few)
    assert "worst_tenth" not in {c.measure.name for c in found}
    aim = next(aim for aim in aims(few, found) if "worst tenth" in aim.title)
    assert (aim.found, aim.seeds, aim.outcome) == (None, 10, "undecided")
    assert "not determined: a worst tenth needs 8 rollouts a task" in judged([aim]).text()


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("splits_digest", "seed 1 of s: closed_loop-s1 and static-s1 differ in their splits"),
        ("warm_start", "seed 1 of s: closed_loop-s1 and static-s1 differ in their warm start"),
        ("plan_digest", "s: closed_loop-s0 and static-s1 differ in their plan"),
        ("tasks", "seed 1 of s: closed_loop-s1 and static-s1 differ in their test tasks"),
    ],
)
def test_runs_that_do_not_belong_together_are_refused(field, words):
    results = simulated_sweep(arms=("closed_loop", "static"), seeds=(0, 1))
    results[-1] = results[-1].replace(**{field: results[-1].tasks[1:] if field == "tasks" else "other"})
    with pytest.raises(DataError, match=words):
        as_sweep("s", results)


def test_a_run_that_stands_twice_is_refused():
    with pytest.raises(DataError, match="static at seed 0 stands twice in s; keep one of its files"):
        as_sweep("s", simulated_sweep(arms=("static", "static"), seeds=(0,)))


def test_the_plan_names_the_contrasts(tmp_path):
    plan = {"contrasts": [["placebo", "static"]], "metrics": []}
    results = [r.replace(plan_digest=digest(plan)) for r in simulated_sweep(seeds=(0, 1))]
    folder = write_sweep(tmp_path, results)
    (folder / "plan.json").write_text(canonical_json(plan))
    planned = read_sweep(folder)
    adjusted = [
        (c.one, c.other) for c in contrasts(planned) if c.holm is not None and c.measure is MEASURES[0]
    ]
    assert adjusted == [("placebo", "static")]
    (folder / "plan.json").write_text(canonical_json(plan | {"contrasts": [["closed_loop", "static"]]}))
    with pytest.raises(DataError, match=r"is not the plan of closed_loop-s0: .*, restore the file"):
        read_sweep(folder)
    (folder / "plan.json").write_text('{"contrasts": [["lone"]]}')
    with pytest.raises(DataError, match="cannot be read as a plan"):
        read_sweep(folder)


def test_a_plan_without_contrasts_leaves_the_protocol_s(tmp_path):
    folder = write_sweep(
        tmp_path, [r.replace(plan_digest=digest({"contrasts": []})) for r in simulated_sweep(seeds=(0,))]
    )
    (folder / "plan.json").write_text('{"contrasts": []}')
    assert read_sweep(folder).named == IN_SIMULATION


def test_results_of_a_plan_are_not_compared_without_it(tmp_path):
    results = [r.replace(plan_digest="made-under") for r in simulated_sweep(seeds=(0,))]
    folder = write_sweep(tmp_path, results)
    with pytest.raises(
        DataError, match=r"plan.json is missing, but .*-s0 was made under a plan \(made-under\)"
    ):
        read_sweep(folder)


def test_a_result_without_a_plan_is_not_compared_under_one(tmp_path):
    folder = write_sweep(tmp_path, simulated_sweep(seeds=(0,)))
    assert read_sweep(folder).named == IN_SIMULATION
    (folder / "plan.json").write_text('{"contrasts": []}')
    with pytest.raises(DataError, match="the result was made under none"):
        read_sweep(folder)


def test_runs_of_different_or_uncommitted_code_are_told(tmp_path, capsys):
    results = simulated_sweep(arms=("closed_loop", "static"), seeds=(0,))
    made = [results[0].made.replace(commit=commit) for commit in ("aaa", "aaa", "bbb", "aaa-dirty")]
    for commits, told in ((made[:2], False), ((made[0], made[2]), True), ((made[3], made[3]), True)):
        runs = [run.replace(made=each) for run, each in zip(results, commits, strict=True)]
        said = write_contrasts(as_sweep("s", runs), tmp_path).text
        assert ("different or uncommitted code: aaa" in said) is told


def test_tables_are_written_for_terminals_and_pages():
    table = Table("numbers", ("arm", "gain"), [("static", "+1.0"), ("closed_loop", "-")])
    assert table.text() == "numbers\narm          gain\nstatic       +1.0\nclosed_loop     -"
    assert table.markdown().splitlines()[2:] == [
        "| arm | gain |",
        "| --- | ---: |",
        "| static | +1.0 |",
        "| closed_loop | - |",
    ]


def test_csv_of_differences_holds_every_seed(sweep, tmp_path):
    from analysis.contrasts.write import write_contrasts

    result = write_contrasts(sweep, tmp_path)
    rows = [
        row
        for row in csv.DictReader((tmp_path / "differences.csv").open())
        if (row["measure"], row["other"]) == ("all_pass_sampled", "static")
    ]
    assert [row["seed"] for row in rows] == [str(seed) for seed in range(10)]
    assert all(file.is_file() for file in result.files)
    page = (tmp_path / "findings.md").read_text()
    assert page.startswith("Over 10 seeds: ") and "| measure | difference | seeds | p | Holm |" in page


def test_arms_that_were_given_unequally_many_worlds_are_told(sweep):
    def told(runs):
        return [line for line in remarks(as_sweep("s", runs), []) if "unequally many" in line]

    def fewer(run):
        grown = run.growth[0].replace(admitted=13 - run.seed % 2 - 1)
        return run.replace(growth=(grown,))

    assert told(sweep.runs) == []
    less = [fewer(run) if run.arm == "closed_loop" else run for run in sweep.runs]
    (line,) = told(less)
    assert "closed_loop 12 and random_worlds 13, -2 [-2, -1]" in line
    assert "static" not in line  # asked for none, so it was given no fewer


def test_an_interval_narrower_than_the_test_s_own_noise_is_told(sweep):
    def told(seeds):
        runs = as_sweep("s", simulated_sweep(arms=("closed_loop", "random_worlds"), seeds=seeds))
        return [line for line in remarks(runs, contrasts(runs)) if "narrow by luck" in line]

    def tried(run):
        half = Tries(passed=(True, False), reward=0.5)  # of each task: 0.7 / sqrt(2) / sqrt(48) a run
        return run.replace(tasks=tuple(task.replace(final_sampled=half) for task in run.tasks))

    assert told(range(10)) == []
    alike = as_sweep("s", [tried(run) for run in sweep.runs])
    (line,) = remarks(alike, contrasts(alike))
    assert "closed_loop minus random_worlds, 0.0 points where tests alone bring 10.2;" in line
