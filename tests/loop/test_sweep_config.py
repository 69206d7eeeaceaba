"""What a sweep is: its arms in order, what they share, what they may spend, and what is refused."""

import re
from pathlib import Path

import pytest
import yaml

from analysis.run_result import RunResult
from loop.config import Config
from loop.curricula.targeting import targeted_count
from loop.errors import ConfigError, SweepError
from loop.resuming.extension import following
from loop.resuming.steps import steps_of
from loop.sweep.__main__ import main
from loop.sweep.config import Arm, StartFrom, SweepBudget, SweepConfig
from loop.sweep.places import Places
from loop.sweep.plan import plan_of
from loop.sweep.runs import Sweep, read_sweep
from loop.sweep.seed import configured
from loop.worlds.splits import build_splits
from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.identity import digest
from tests.loop.sweeps import ROOT, write_sweep

STATIC = "  - config: static.yaml"
"""The line of an arm in a sweep's file."""


def swept(tmp_path: Path, text: str = "", arms: tuple[str, ...] = ("static", "closed_loop")) -> Sweep:
    return read_sweep(write_sweep(tmp_path, text, arms))


@pytest.mark.parametrize("name", ["compare_small", "compare_full"])
def test_the_sweeps_of_the_protocol_can_be_read_and_name_what_they_compare(name: str) -> None:
    sweep = read_sweep(ROOT / "experiments" / f"{name}.yaml")
    assert sweep.config.name == name and sweep.config.test_salt
    assert all(arm.config.iterations * arm.config.updates_per_iteration >= 60 for arm in sweep.arms)
    assert {arm for arm, _ in sweep.config.contrasts} == {"closed_loop"}
    assert min(sweep.seeds) >= 10  # settings were tuned on 0 to 2
    assert sweep.arms[0].name == "closed_loop"  # its charged steps are what the others may spend


def test_the_full_sweep_has_ten_seeds_for_the_contrasts_and_three_for_the_case_studies() -> None:
    sweep = read_sweep(ROOT / "experiments" / "compare_full.yaml")
    contrasted = {name for pair in sweep.config.contrasts for name in pair}
    assert contrasted == {"closed_loop", "random_worlds", "balanced_worlds", "placebo", "static", "stale"}
    for arm in sweep.arms:
        assert len(arm.seeds) == (10 if arm.name in contrasted else 3), arm.name
    assert sum(len(arm.seeds) for arm in sweep.arms) == 6 * 10 + 8 * 3


def test_common_overrides_and_those_of_an_arm_are_laid_over_its_file(tmp_path: Path) -> None:
    file = write_sweep(tmp_path, "overrides: {prompts_per_update: 3, growth: {attempts: 9}}\ntest_salt: s\n")
    file.write_text(file.read_text().replace(STATIC, "  - {config: static.yaml, overrides: {figures: true}}"))
    static, looped = read_sweep(file, ("seeds=[4]",)).arms
    assert (static.config.prompts_per_update, looped.config.growth.attempts) == (3, 9)
    assert (static.config.figures, looped.config.figures) == (True, False)
    assert {arm.config.experiment for arm in (static, looped)} == {"tiny"}
    assert static.config.splits.test_salt == looped.config.splits.test_salt == "s"
    assert static.at(4).seed == 4 and static.at(4).digest == static.at(5).digest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "metrics: [all_pas_sampled]\n",
            "metrics: no measure 'all_pas_sampled'; did you mean 'all_pass_sampled'?",
        ),
        ("overrides: {arm: a/b}\n", "arm"),
    ],
)
def test_a_measure_that_there_is_not_and_a_name_that_is_no_folder_are_refused(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        swept(tmp_path, text)


def test_a_key_that_takes_no_run_is_refused_before_the_first_run(tmp_path: Path) -> None:
    file = write_sweep(tmp_path)
    start = "start_from: {arm: closed_loop, key: finalpool}"
    file.write_text(file.read_text().replace(STATIC, f"  - {{config: static.yaml, {start}}}"))
    with pytest.raises(ConfigError, match=r"arm static: unknown key 'finalpool'; did you mean 'final_pool'"):
        read_sweep(file)


@pytest.mark.parametrize(
    "own", ["tail: {exponent: 1.0}", "demonstrations: tests.loop.fakes:Nobody", "asynchronous: {}"]
)
def test_arms_that_differ_in_more_than_their_curriculum_are_refused(tmp_path: Path, own: str) -> None:
    file = write_sweep(tmp_path)
    arm = f"  - {{config: static.yaml, overrides: {{{own}}}}}"
    file.write_text(file.read_text().replace(STATIC, arm))
    with pytest.raises(ConfigError, match="not their curricula alone would be compared"):
        read_sweep(file)


@pytest.mark.parametrize(
    ("own", "text", "said"),
    [
        ("splits: {test_salt: x}", "", "splits.test_salt: 'x' is not the sweep's test_salt: ''"),
        (
            "splits: {test_salt: x}",
            "test_salt: y\n",
            "splits.test_salt: 'x' is not the sweep's test_salt: 'y'",
        ),
        (
            "budget: {further_updates: 5}",
            "budget: {charged_steps: match closed_loop}\n",
            "budget.further_updates: 5 is not the sweep's budget.further_updates: 1000",
        ),
        (
            "budget: {charged_steps: 70}",
            "budget: {charged_steps: 90}\n",
            "budget.charged_steps: 70 is not the sweep's budget.charged_steps: 90",
        ),
    ],
)
def test_an_arm_that_says_something_else_than_the_sweep_is_refused(
    tmp_path: Path, own: str, text: str, said: str
) -> None:
    in_file = write_sweep(tmp_path / "in_file", text)
    arm = in_file.parent / "static.yaml"
    arm.write_text(f"{arm.read_text()}{own}\n")
    in_overrides = write_sweep(tmp_path / "in_overrides", text)
    changed = f"  - {{config: static.yaml, overrides: {{{own}}}}}"
    in_overrides.write_text(in_overrides.read_text().replace(STATIC, changed))
    in_common = write_sweep(tmp_path / "in_common", f"{text}overrides: {{{own}}}\n")
    for file in (in_file, in_overrides, in_common):
        with pytest.raises(ConfigError, match=re.escape(f"static.yaml: {said}, which all arms get; give it")):
            read_sweep(file)


def test_an_arm_may_repeat_what_the_sweep_says(tmp_path: Path) -> None:
    file = write_sweep(tmp_path, "test_salt: s\noverrides: {splits: {test_salt: s}}\n")
    assert {arm.config.splits.test_salt for arm in read_sweep(file).arms} == {"s"}


def test_an_arm_that_needs_another_comes_after_it(tmp_path: Path) -> None:
    text = "budget: {charged_steps: match closed_loop}\n"
    sweep = swept(tmp_path, text, ("static", "random_worlds", "closed_loop"))
    assert [arm.name for arm in sweep.arms] == ["closed_loop", "static", "random_worlds"]
    assert [sweep.matched(arm) for arm in sweep.arms] == [None, "closed_loop", "closed_loop"]


def test_an_arm_that_starts_from_a_run_gets_its_directory_or_says_what_is_missing(tmp_path: Path) -> None:
    file = write_sweep(tmp_path)
    start = "start_from: {arm: closed_loop, key: final_pool}"
    file.write_text(file.read_text().replace(STATIC, f"  - {{config: static.yaml, {start}}}"))
    sweep = read_sweep(file)
    assert [arm.name for arm in sweep.arms] == ["closed_loop", "static"]
    places = Places(tmp_path / "runs", tmp_path / "results")
    with pytest.raises(SweepError, match="closed_loop-s10: arm static starts from this run, which is not"):
        configured(sweep, sweep.arms[1], 10, places, "p")
    (tmp_path / "runs" / "closed_loop-s10").mkdir(parents=True)
    (tmp_path / "runs" / "closed_loop-s10" / "finished").write_text("true")
    config = configured(sweep, sweep.arms[1], 10, places, "p")
    assert config.final_pool == tmp_path / "runs" / "closed_loop-s10" and config.plan == "p"
    assert plan_of(sweep)["arms"]["static"]["start_from"] == {"arm": "closed_loop", "key": "final_pool"}


def test_a_plan_changes_with_what_is_compared_and_not_with_where_it_is_written(tmp_path: Path) -> None:
    file = write_sweep(tmp_path)
    plan = digest(plan_of(read_sweep(file)))
    assert digest(plan_of(read_sweep(file, ("overrides.cache=/elsewhere",)))) == plan
    assert digest(plan_of(read_sweep(file, ("overrides.tracking.mlflow=sqlite:///x.db",)))) == plan
    for change in ("seeds=[10]", "test_salt=x", "contrasts=[[closed_loop,static]]", "overrides.iterations=2"):
        assert digest(plan_of(read_sweep(file, (change,)))) != plan, change


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("seeds=[]", "seeds: [] is not allowed"),
        ("seeds=[1, 1]", "seeds: 1 is given twice; give each seed once"),
        ("seeds=[-1]", "seeds: -1 is not a seed"),
        ("sedes=[1]", "unknown key 'sedes'; did you mean 'seeds'?"),
        ("name=a/b", "name: 'a/b' is not allowed"),
        ("overrides.iteratoins=1", "unknown key 'iteratoins'; did you mean 'iterations'?"),
        ("arms=[{config: none.yaml}]", "none.yaml: cannot be read"),
        ("arms=[{config: static.yaml}, {config: static.yaml}]", "arm: 'static' is given twice"),
        ("contrasts=[[closed_loop, placebo]]", "contrasts: no arm 'placebo' in this sweep; it has static, "),
        ("budget.charged_steps=match placebo", "budget.charged_steps: no arm 'placebo' in this sweep"),
        ("budget.charged_steps=many", "'many' is neither a number nor `match ARM`"),
        ("budget.charged_steps=0", "0 is not allowed; give at least 1"),
        ("budget.updates=60", "budget.updates: 60, but arm static makes 2 (1 iterations x 2); set "),
        ("arms=[{config: static.yaml, seeds: [12], start_from: {arm: closed_loop, key: final_pool}}, "
         "{config: closed_loop.yaml}]",
         "arm static needs closed_loop of seed 12, which is not in the sweep"),
        ("arms=[{config: static.yaml, start_from: {arm: closed_loop, key: final_pool}}, "
         "{config: closed_loop.yaml, start_from: {arm: static, key: final_pool}}]",
         "arms static -> closed_loop -> static wait for each other"),
        ("arms=[{config: static.yaml, overrides: {tasks_per_world: 9}}, {config: closed_loop.yaml}]",
         "tasks_per_world: static and closed_loop differ, so not their curricula alone would be compared"),
        ("arms=[{config: static.yaml}, {config: closed_loop.yaml, overrides: {curriculum: "
         "{sampler: {type: sfl, floor: 2}}}}]",
         "arm closed_loop: curriculum.sampler: 'sfl' refused its parameters: floor=2 is outside [0, 1]"),
        ("arms=[{config: static.yaml, seeds: [1]}, {config: closed_loop.yaml, seeds: [2]}]", None),
    ],
)  # fmt: skip
def test_a_sweep_that_cannot_be_run_is_refused_in_one_line(
    change: str, complaint: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_sweep(tmp_path, "contrasts: [[closed_loop, static]]\n" if complaint is None else "")
    folders = ["--runs", f"{tmp_path}/runs", "--results", f"{tmp_path}/results"]
    assert main([str(file), change, *folders, *(["--dry-run"] if complaint else [])]) == 2
    error = capsys.readouterr().err
    expected = complaint or "contrasts: closed_loop and static share no seed; contrasts are paired by seed"
    assert expected in error and error.count("\n") == 1, error
    assert not (tmp_path / "results").exists()


def test_another_salt_draws_other_test_worlds_and_leaves_the_other_splits_alone() -> None:
    sizes = {"foundation": 1, "train": 1, "diagnose": 1, "validation": 1, "test": 1, "test_reserved": 1,
             "test_unseen": 1, "reserved_pairs": 1}  # fmt: skip
    catalog, worlds = load_catalog(None), []
    for salt in ("", "a", "b"):
        config = Config(tasks_per_world=6, targeting={"tasks": 4}, splits={**sizes, "test_salt": salt})
        made = build_splits(config, catalog, TemplateAuthor())
        worlds.append([(e.origin, e.world.id) for e in made.environments])
    for other in worlds[1:]:
        assert [w for w in other if w[0] != "test"] == [w for w in worlds[0] if w[0] != "test"]
    tests = [{w for w in made if w[0] == "test"} for made in worlds]
    assert all(len(test) == 3 for test in tests) and len(set.union(*tests)) == 9


def budgeted(**budget: int) -> Config:
    """One iteration of two updates."""
    return Config(iterations=1, updates_per_iteration=2, budget=budget)


def test_a_run_goes_on_in_blocks_until_its_charged_budget_is_spent() -> None:
    config = Config(
        iterations=1, updates_per_iteration=2, budget={"charged_steps": 100, "further_updates": 5}
    )
    steps, charged, kinds = steps_of(config), 40, []
    while (step := following(config, steps, charged)) is not None:
        assert step.index == len(steps)
        steps.append(step)
        kinds.append(step.kind)
        charged += 20 if step.kind == "update" else 0  # 40, 60, 80, 100
    assert kinds == ["update", "update", "validate", "update", "validate", "test"]
    assert [s.update for s in steps if s.kind == "update"] == [0, 1, 2, 3, 4]


def test_a_run_does_not_go_on_when_its_budget_is_spent_or_not_set_and_never_beyond_its_cap() -> None:
    spent = budgeted(charged_steps=100)
    assert following(spent, steps_of(spent), charged=100) is None
    unset = budgeted()
    assert following(unset, steps_of(unset), charged=0) is None
    capped = Config(
        iterations=1, updates_per_iteration=2, budget={"charged_steps": 100, "further_updates": 3}
    )
    steps = steps_of(capped)
    planned = len(steps)
    while (step := following(capped, steps, charged=0)) is not None:
        steps.append(step)
    assert [s.kind for s in steps[planned:]] == ["update", "update", "validate", "update", "validate", "test"]


def test_seats_of_targeted_cells_are_those_of_the_first_iteration() -> None:
    assert targeted_count(48, 0.7) == 34  # 33.6, rounded


def test_the_page_names_every_key_and_every_part_of_a_result() -> None:
    page = (ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8")
    for model in (SweepConfig, Arm, SweepBudget, StartFrom):
        for key in model.model_fields:
            assert f"{key}:" in page or f".{key}`" in page or f"`{key}`" in page, f"{model.__name__}.{key}"
    for field in set(RunResult.model_fields) - {"result_schema"}:
        assert f"`{field}`" in page, field


def test_the_example_of_the_page_is_a_sweep() -> None:
    page = (ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8")
    example = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])
    read = SweepConfig.model_validate(example)
    assert read.budget.matched == "closed_loop" and read.arms[2].start_from is not None
