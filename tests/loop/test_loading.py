"""A configuration is typed, says only what differs, and complains in one line that names the remedy."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from loop.errors import ConfigError
from loop.loading import load, merge
from loop.plugins import Plugin, make
from loop.sweep.runs import read_sweep
from policy.config import PRESETS

EXPERIMENTS = Path("experiments")
MICRO = EXPERIMENTS / "micro.yaml"


def complaint(*overrides: str, path: Path = MICRO) -> str:
    """The one line with which a configuration is refused."""
    with pytest.raises(ConfigError) as caught:
        load(path, overrides)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2
    return str(caught.value).replace(f"{path}: ", "")


RUNS = [path for path in sorted(EXPERIMENTS.glob("*.yaml")) if "\narms:" not in path.read_text()]
"""Files of one run; a sweep's file is another tree, with tests of its own."""


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_every_experiment_loads_and_opens_with_purpose_cost_and_expected_outcome(path: Path) -> None:
    load(path)
    first, second, third = path.read_text().splitlines()[:3]
    assert first.startswith("# Purpose:") and second.startswith("# Cost:") and third.startswith("# Expected:")


def test_a_misspelt_key_is_refused_with_the_nearest_one() -> None:
    assert complaint("iteratons=3") == "unknown key 'iteratons'; did you mean 'iterations'?"
    assert complaint("policy.grpo.grup_size=3") == (
        "unknown key 'policy.grpo.grup_size'; did you mean 'group_size'?"
    )


def test_a_negative_count_is_refused_with_the_value_and_what_is_allowed() -> None:
    assert complaint("iterations=-1") == (
        "iterations: -1 is not allowed; it should be greater than or equal to 0"
    )


def test_a_wrong_type_is_refused_with_the_value() -> None:
    assert complaint("splits.train=many") == (
        "splits.train: 'many' is not allowed; "
        "it should be a valid integer, unable to parse string as an integer"
    )


def test_an_unknown_curriculum_is_refused_with_the_nearest_one() -> None:
    assert complaint("curriculum.grower.type=closed_lop") == (
        "curriculum.grower.type: unknown grower 'closed_lop'; did you mean 'closed_loop'? "
        "(or give module:Class)"
    )


def test_limits_that_contradict_each_other_are_refused() -> None:
    assert complaint("growth.attempts=2", "growth.quota=3") == (
        "growth: attempts: 2 is less than quota: 3; raise it"
    )
    assert complaint("targeting.tasks=9", "tasks_per_world=8") == (
        "targeting.tasks: 9 is more than tasks_per_world: 8; lower it"
    )


def test_an_unknown_facet_and_an_unknown_preset_are_refused() -> None:
    assert complaint("targeting.facets=[famly]").startswith(
        "targeting.facets: unknown facet 'famly'; known are"
    )
    assert complaint("policy.decoder=tinny") == (
        "policy.decoder: unknown preset 'tinny'; did you mean 'tiny'?"
    )


def test_an_override_without_a_value_is_refused() -> None:
    assert complaint("iterations").startswith("override 'iterations' is not of the form key=value")


def test_a_missing_file_and_broken_yaml_are_refused(tmp_path: Path) -> None:
    assert complaint(path=tmp_path / "none.yaml") == (
        "cannot be read (No such file or directory); give a readable YAML file"
    )
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [1\nb: 2\n")
    assert complaint(path=broken).startswith("not valid YAML at line 2")
    listed = tmp_path / "list.yaml"
    listed.write_text("- a\n")
    assert complaint(path=listed).startswith("holds a list, but a configuration is a mapping")


def test_extends_merges_key_by_key_and_a_new_type_replaces_a_plugin(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(
        "iterations: 5\ncurriculum: {sampler: {type: sfl, floor: 0.5}, grower: random_worlds}\n"
    )
    (tmp_path / "child.yaml").write_text("extends: base.yaml\ncurriculum: {sampler: {type: uniform}}\n")
    config = load(tmp_path / "child.yaml", ("seed=3",))
    assert (config.iterations, config.seed) == (5, 3)
    assert config.curriculum.sampler.type == "uniform" and config.curriculum.sampler.parameters == {}
    assert config.curriculum.grower.type == "random_worlds"


def test_a_file_that_extends_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop.yaml").write_text("extends: loop.yaml\n")
    assert "extends itself" in complaint(path=tmp_path / "loop.yaml")


def test_merging_keeps_what_the_change_does_not_name() -> None:
    assert merge({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}) == {"a": {"b": 1, "c": 3}}
    assert merge({"a": {"type": "x", "p": 1}}, {"a": {"type": "y"}}) == {"a": {"type": "y"}}


SFL = {"type": "sfl", "floor": 0.3}


@pytest.mark.parametrize(
    ("file", "overrides", "sampler"),
    [
        ("{}", ("curriculum.sampler=sfl", "curriculum.sampler.floor=0.3"), SFL),
        ("{}", ("curriculum.sampler.floor=0.3", "curriculum.sampler=sfl"), SFL),
        ("{sampler: uniform}", ("curriculum.sampler.floor=0.3", "curriculum.sampler.type=sfl"), SFL),
        ("{sampler: sfl}", ("curriculum.sampler.floor=0.3",), SFL),
        ("{sampler: {type: sfl, floor: 0.3}}", ("curriculum.sampler=sfl",), SFL),
        ("{sampler: {type: plr, floor: 0.5}}", ("curriculum.sampler=sfl",), {"type": "sfl"}),
        ("{}", ("curriculum.sampler=plr", "curriculum.sampler.floor=1", "curriculum.sampler=sfl"),
         {"type": "sfl"}),
    ],
)  # fmt: skip
def test_the_name_of_a_plugin_and_its_parameters_come_together(
    file: str, overrides: tuple[str, ...], sampler: dict[str, object], tmp_path: Path
) -> None:
    (tmp_path / "run.yaml").write_text(f"curriculum: {file}\n")
    assert load(tmp_path / "run.yaml", overrides).curriculum.sampler.model_dump() == sampler


PLUGINS = [
    ("curriculum.sampler", "sfl"), ("curriculum.gate", "own:Gate"), ("curriculum.grower", "trace"),
    ("curriculum.report", "permute"), ("targeting.allocation", "failure_rate"), ("learner", "own:Learner"),
    ("demonstrations", "api"), ("author", "llm"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "name"), PLUGINS)
def test_every_plugin_given_by_name_keeps_it_when_a_key_below_follows(
    key: str, name: str, tmp_path: Path
) -> None:
    """From override to override, from a file to an override, and from a file to the one that extends it."""
    *above, last = key.split(".")
    short = "".join(f"{{{part}: " for part in above) + f"{{{last}: '{name}'}}" + "}" * len(above)
    (tmp_path / "named.yaml").write_text(f"{short}\n")
    below = short.replace(f"'{name}'", "{p: 1}")
    (tmp_path / "child.yaml").write_text(f"{{extends: named.yaml, {below[1:-1]}}}\n")
    (tmp_path / "empty.yaml").write_text("{}\n")
    for file, overrides in (
        ("empty", (f"{key}={name}", f"{key}.p=1")),
        ("named", (f"{key}.p=1",)),
        ("child", ()),
    ):
        found = {where: plugin for _, where, plugin in load(tmp_path / f"{file}.yaml", overrides).plugins()}
        assert found[key].model_dump() == {"type": name, "p": 1}, file


def test_every_role_of_a_plugin_is_tried_above() -> None:
    assert {key for key, _ in PLUGINS} == {where for _, where, _ in load(MICRO).plugins()}


@pytest.mark.parametrize(
    ("file", "overrides"),
    [
        ("{}", ("policy.decoder=small", "policy.decoder.remat=true")),
        ("{}", ("policy.decoder.remat=true", "policy.decoder=small")),
        ("{decoder: small}", ("policy.decoder.remat=true",)),
        ("{decoder: {preset: tiny, layers: 9, remat: true}}", ("policy.decoder=small",)),
        ("{decoder: {width: 32, heads: 2, remat: true}}", ("policy.decoder.preset=small",)),
        ("{decoder: {remat: true}}", ("policy.decoder={preset: small}",)),
    ],
)
def test_a_preset_stays_what_is_changed_below_it_and_leaves_what_is_no_shape(
    file: str, overrides: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "run.yaml").write_text(f"policy: {file}\n")
    found = load(tmp_path / "run.yaml", overrides).policy.decoder
    assert found == PRESETS["small"].model_copy(update={"remat": True})


def test_names_and_what_follows_them_come_together_in_a_sweep_too(tmp_path: Path) -> None:
    arm = f"extends: {MICRO.resolve()}\nname: one\narm: one\n"
    (tmp_path / "one.yaml").write_text(f"{arm}curriculum: {{sampler: sfl}}\n")
    (tmp_path / "sweep.yaml").write_text(
        "name: two\nseeds: [0]\noverrides: {policy: {decoder: small}}\n"
        "arms: [{config: one.yaml, overrides: {curriculum: {sampler: {floor: 0.3}}}}]\n"
    )
    config = read_sweep(tmp_path / "sweep.yaml", ("overrides.policy.decoder.remat=true",)).arms[0].config
    assert config.policy.decoder == PRESETS["small"].model_copy(update={"remat": True})
    assert config.curriculum.sampler.model_dump() == SFL


IDENTITIES = {"closed_loop": "49eb9296", "random_worlds": "87c6b831", "sao": "9f566cc6", "micro": "63a7e501"}


@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_of_experiments_stand(name: str) -> None:
    """Results and run directories of these are kept under these digests."""
    assert load(EXPERIMENTS / f"{name}.yaml").digest == IDENTITIES[name]


def test_the_digest_ignores_seed_and_places_and_sees_everything_else() -> None:
    plain = load(MICRO)
    same = load(MICRO, ("seed=9", "cache=/elsewhere", "tracking.mlflow=http://x", "ledger=sqlite:///x"))
    assert same.digest == plain.digest and same.run_id == plain.run_id.replace("-s0", "-s9")
    assert load(MICRO, ("policy.grpo.clip_low=0.1",)).digest != plain.digest
    assert load(MICRO, ("policy.compilation_cache=/x",)).digest == plain.digest


def test_the_three_arms_differ_in_name_and_curriculum_alone() -> None:
    trees = [
        load(EXPERIMENTS / f"{arm}.yaml").recorded() for arm in ("closed_loop", "random_worlds", "static")
    ]
    for tree in trees:
        for key in ("name", "arm", "curriculum"):
            tree.pop(key)
    assert trees[0] == trees[1] == trees[2]


def test_configuration_help_and_dry_run_import_nothing_heavy() -> None:
    heavy = "jax,mlflow,litellm,sklearn,sqlalchemy,orbax,flax,optax,matplotlib"
    script = (
        "import sys; from loop.run import main; main(['experiments/closed_loop.yaml', '--dry-run']); "
        f"print([m for m in '{heavy}'.split(',') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


@pytest.mark.parametrize("value", [".inf", "-.inf", ".nan"])
@pytest.mark.parametrize(
    "key", ["coverage.exponent", "evaluation.temperature", "policy.grpo.clip_high", "unheard_prompts", "seed"]
)
def test_no_number_is_without_end_or_no_number(key: str, value: str) -> None:
    assert complaint(f"{key}={value}").startswith(f"{key}: ")


def test_yes_and_numbers_beyond_measure_are_no_counts() -> None:
    assert complaint("growth.quota=yes") == "growth.quota: True is not allowed; give a number"
    assert complaint("seed=99999999999999999999999") == (
        "seed: 99999999999999999999... (23 characters) is not allowed; give at most 9,007,199,254,740,992"
    )
    assert "more than 1,000,000 updates" in complaint("iterations=1000000")


@pytest.mark.parametrize("probes", ["x", "-4", "0", ".nan", "null", "[1]", "2.5", "true"])
def test_probes_of_another_kind_are_refused(probes: str) -> None:
    told = complaint(f"curriculum.report={{type: enrich, probes: {probes}}}")
    assert told.startswith("curriculum.report.probes: ") and "whole number of 1 or more" in told


@pytest.mark.parametrize("buckets", ["[]", "[0]", "[-1,16]"])
def test_shapes_are_numbers_above_zero(buckets: str) -> None:
    assert "whole numbers above 0" in complaint(f"policy.rollout.decode_buckets={buckets}")


def test_a_very_long_value_is_told_shortly() -> None:
    assert len(complaint(f"seed={'x' * 9000}")) < 400
    assert len(complaint(f"{'x' * 9000}=1")) < 1000
    assert "lies 500 deep" in complaint(".".join(["a"] * 500) + "=1")


@pytest.mark.parametrize(
    "text", ["seed: 1\nseed: 2\n", "seed: 2020-13-45\n", 'extends: "a\\0b"\n', "a: &a [*a]\n"]
)
def test_odd_files_are_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "odd.yaml").write_text(text)
    assert complaint(path=tmp_path / "odd.yaml")


def test_a_circle_of_links_and_a_folder_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("b.yaml")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    assert "cannot be read" in complaint(path=tmp_path / "a.yaml")
    assert complaint(path=tmp_path).startswith("cannot be read (Is a directory)")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise RuntimeError('two\\nlines')", "fails while it is imported (RuntimeError: two lines)"),
        ("def (", "fails while it is imported (SyntaxError: "),
        ("Own = 5", "cannot be imported (5 is no class)"),
        ("class Other: pass", "cannot be imported ("),
        (
            "class Own:\n    def __init__(self):\n        raise KeyError('k')",
            "refused its parameters: KeyError: 'k'",
        ),
    ],
)
def test_an_own_class_that_raises_is_one_line(
    source: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"own_{abs(hash(source))}"
    (tmp_path / f"{name}.py").write_text(source + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError) as caught:
        make("sampler", Plugin(type=f"{name}:Own"), "curriculum.sampler")
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_run_whose_policy_could_learn_nothing_is_refused() -> None:
    """Equal episodes have no advantage."""
    assert complaint("policy.rollout.temperature=0").startswith(
        "policy.rollout.temperature: 0 samples equal episodes, of which nothing can be learned; give more"
    )
    assert load(MICRO, ("policy.rollout.temperature=0", "iterations=0")).iterations == 0


def test_yes_within_a_list_of_numbers_is_refused_and_a_path_is_told_as_a_path() -> None:
    assert complaint("policy.rollout.decode_buckets=[8, true]") == (
        "policy.rollout.decode_buckets.1: True is not allowed; give a number"
    )
    assert complaint("cache=5") == "cache: 5 is not allowed; it should be a path"


def test_more_layers_than_any_plan_could_list_are_refused_at_once() -> None:
    assert complaint("policy.decoder.layers=100000") == (
        "policy.decoder.layers: 100000 is not allowed; it should be less than or equal to 1000"
    )


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("targeting.facets=[]", "nothing to aim at"),
        ("targeting.difficulty.hops=7", "hops: 7 is not allowed; give 1 to 2"),
        ("targeting.difficulty.columns=0", "columns: 0 is not allowed"),
        ("targeting.difficulty.distractors=-3", "distractors: -3 is not allowed"),
        ("arm=a/b", "arm"),
    ],
)
def test_a_target_that_no_world_meets_and_an_arm_that_is_no_file_are_refused(
    override: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        load(MICRO, (override,))


def test_a_built_in_part_is_known_by_its_path_too() -> None:
    path = "loop.learning.decoder:DecoderLearner"
    with pytest.raises(ConfigError, match="temperature: 0 samples equal episodes"):
        load(MICRO, (f"learner={path}", "policy.rollout.temperature=0"))
