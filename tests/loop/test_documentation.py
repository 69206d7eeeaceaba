"""docs/curricula.md names every part, rule and purpose that the code has, and its example runs."""

import re
import sys
from pathlib import Path

import pytest
import yaml

from analysis.ledger import Ledger, MetricRow
from loop.config import Targeting
from loop.episodes.charging import CHARGED
from loop.launch import launch
from loop.loading import load
from loop.plugins import REGISTRY
from planet.refusal_words import ADMISSION

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "curricula.md").read_text(encoding="utf-8")


def test_every_registered_part_has_a_line() -> None:
    for role in ("sampler", "gate", "grower", "transform", "allocation"):
        for name in REGISTRY[role]:
            assert f"| {role} | `{name}` |" in PAGE


def test_every_admission_rule_stands_with_its_meaning() -> None:
    for rule, meaning in ADMISSION.items():
        assert f"| `{rule}` | {meaning} |" in PAGE


def test_every_purpose_and_key_of_targeting_is_named() -> None:
    for purpose in set(CHARGED) - {"stale"}:  # nothing is stale before there is an asynchronous mode
        assert f"`{purpose}`" in PAGE
    for key in set(Targeting.model_fields) - {"tasks"}:
        assert f"targeting.{key}" in PAGE or f"{key}:" in PAGE


def test_the_own_curriculum_of_the_page_is_one_class_and_one_line_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    line = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert code is not None and line is not None
    assert code[1].count("\nclass ") == 1 and line[1].count("\n") == 1
    (tmp_path / "newcomers.py").write_text(code[1])
    monkeypatch.syspath_prepend(tmp_path)
    head = f"extends: {ROOT}/experiments/micro.yaml\n"
    (tmp_path / "own.yaml").write_text(head + line[1])
    config = load(tmp_path / "own.yaml", ("learner=tests.loop.fakes:NoisyOracle", f"cache={tmp_path}/cache"))
    directory = launch(config, tmp_path / "run")
    with Ledger(directory.ledger, create=False) as ledger:
        rows = ledger.rows(MetricRow, config.run_id, name="sampler/effective_tasks")
        tasks = ledger.rows(MetricRow, config.run_id, name="pool/tasks")[-1].value
    sys.modules.pop("newcomers")
    # Weights n ** 2 draw from fewer than all tasks, and from more than half of them.
    assert tasks is not None and all(tasks / 2 < (row.value or 0) < tasks for row in rows) and rows


def test_every_arm_of_the_page_has_its_file_and_every_file_its_line() -> None:
    table = PAGE[PAGE.index("| arm | sampler |") :].split("\n\n")[0]
    arms = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    files = {path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / "experiments").glob("*.yaml")}
    assert arms == {stem for stem, tree in files.items() if tree.get("arm") == stem} - {"micro"}


def arm_files() -> list[Path]:
    trees = {path: yaml.safe_load(path.read_text()) for path in sorted((ROOT / "experiments").glob("*.yaml"))}
    return [path for path, tree in trees.items() if tree.get("extends") and tree.get("arm") == path.stem]


@pytest.mark.parametrize("path", arm_files(), ids=lambda path: path.stem)
def test_an_arm_says_only_what_differs_and_shares_all_that_comes_before_it(path: Path) -> None:
    tree, method = yaml.safe_load(path.read_text()), load(ROOT / "experiments" / "closed_loop.yaml")
    assert tree["extends"] == "closed_loop.yaml" and tree["name"] == path.stem
    assert set(tree) <= {"extends", "name", "arm", "curriculum", "targeting", "final_pool", "replica"}
    arm = load(path)
    for shared in (
        "splits",
        "policy",
        "coverage",
        "tail",
        "learner",
        "growth",
        "evaluation",
        "author",
        "iterations",
    ):
        assert getattr(arm, shared) == getattr(method, shared)
    assert arm.curriculum.gate == method.curriculum.gate and arm.digest != method.digest
