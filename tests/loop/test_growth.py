"""Growth keeps to its cap, tries refused briefs elsewhere, and records what it could not make."""

from pathlib import Path
from typing import Any

import pytest

from analysis.ledger import (
    AuthorCallRow,
    BriefRow,
    ChargeRow,
    EpisodeRow,
    Ledger,
    MetricRow,
    ReportRow,
    StepRow,
    TaskRow,
    WorldRow,
)
from analysis.weakness import WeaknessReport
from loop.config import Config
from loop.launch import launch
from loop.loading import load
from loop.run_directory import RunDirectory
from loop.stages import grow
from loop.worlds import grown as grown_pool
from loop.worlds.admission import avoiding, refusals
from loop.worlds.generator import Reserved
from loop.worlds.synthesis import Synthesized
from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.records.world import Brief, Target
from planet.store import read_world
from planet.synthesize import synthesize

MICRO = Path(__file__).resolve().parents[2] / "experiments" / "micro.yaml"


def grown(tmp_path: Path, *overrides: str) -> tuple[dict[str, float], list[BriefRow]]:
    """Metrics of the growth step of a micro run, and its briefs."""
    scripted = ("learner=tests.loop.fakes:NoisyOracle", f"cache={tmp_path}/cache")
    config = load(MICRO, (*scripted, *overrides))
    directory = launch(config, tmp_path / "run")
    with Ledger(directory.ledger, create=False) as ledger:
        rows = ledger.rows(MetricRow, config.run_id, step=4)
        return {r.name: r.value or 0.0 for r in rows}, ledger.rows(BriefRow, config.run_id)


def all_refused(monkeypatch: pytest.MonkeyPatch) -> list[Brief]:
    """Let every synthesis be refused; the briefs that are tried, in their order."""
    tried: list[Brief] = []

    def refuse(brief: Brief, *rest: Any, unfit: Any) -> Synthesized:
        tried.append(brief)
        return Synthesized(None, None, (), {"V03": 1}, 5, None, valid=False)

    monkeypatch.setattr(grow, "synthesized", refuse)
    return tried


def test_refused_briefs_are_tried_elsewhere_up_to_the_cap_and_the_shortfall_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = all_refused(monkeypatch)
    metrics, briefs = grown(tmp_path, "growth.attempts=7")
    # Three briefs and seven tries: each is tried twice, the first one three times.
    assert len(tried) == 7 and metrics["grow/syntheses"] == 7
    assert (metrics["grow/admitted"], metrics["grow/shortfall"], metrics["grow/audit_steps"]) == (0, 3, 35)
    assert [b.refused for b in briefs] == [{"V03": 3}, {"V03": 2}, {"V03": 2}]
    assert all(b.admitted_world_id is None for b in briefs)
    again = [tried[0], tried[3], tried[6]]
    assert len({(b.industry, b.country) for b in again}) > 1
    assert {b.target for b in again} == {again[0].target}


def test_all_growing_arms_are_offered_the_same_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: dict[str, list[tuple[str | None, str | None]]] = {}
    for grower in ("closed_loop", "random_worlds"):
        tried = offered.setdefault(grower, [])

        def refuse(brief: Brief, *rest: Any, unfit: Any, tried: list = tried) -> Synthesized:
            tried.append((brief.industry, brief.country))
            return Synthesized(None, None, (), {"V03": 1}, 0, None, valid=False)

        monkeypatch.setattr(grow, "synthesized", refuse)
        grown(tmp_path / grower, f"curriculum.grower={grower}")
    assert offered["closed_loop"] == offered["random_worlds"] and len(offered["closed_loop"]) == 6


def test_a_goal_gets_what_its_world_needs_on_every_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = all_refused(monkeypatch)
    grown(tmp_path, "targeting.facets=[service]", "targeting.hints=[]")
    asked = [(b.target.cells[0].removeprefix("service:"), b.services) for b in tried if b.target]
    assert len(asked) == len(tried) > 3 and all(goal in services for goal, services in asked)


def test_a_pool_of_more_than_a_hundred_briefs_is_restored_in_the_order_of_their_numbers() -> None:
    assert sorted(["i0/b100", "i0/b11", "i1/b02"], key=grown_pool._place) == ["i0/b11", "i0/b100", "i1/b02"]


def test_a_run_without_growth_asks_for_nothing_and_audits_nothing(tmp_path: Path) -> None:
    metrics, briefs = grown(tmp_path, "curriculum.grower=none")
    assert briefs == [] and metrics["grow/syntheses"] == 0 and metrics["grow/audit_steps"] == 0


def test_a_targeted_brief_says_why_in_counts(tmp_path: Path) -> None:
    _, briefs = grown(tmp_path)
    reasons = [b.brief["target"]["reason"] for b in briefs]
    assert any("episodes over" in reason for reason in reasons)
    assert reasons[-1] == "drawn from the training generator"


def run_of(tmp_path: Path, *overrides: str) -> tuple[Config, RunDirectory]:
    scripted = ("learner=tests.loop.fakes:NoisyOracle", f"cache={tmp_path}/cache")
    config = load(MICRO, (*scripted, *overrides))
    return config, launch(config, tmp_path / "run")


def test_more_tasks_join_the_worlds_there_are_and_no_world_does(tmp_path: Path) -> None:
    config, directory = run_of(tmp_path, "curriculum.grower=task_scaling")
    with Ledger(directory.ledger, create=False) as ledger:
        worlds = ledger.rows(WorldRow, config.run_id)
        grown = ledger.rows(TaskRow, config.run_id, split="grown")
        tasks = ledger.rows(TaskRow, config.run_id, split="train")
        briefs = ledger.rows(BriefRow, config.run_id)
        calls = ledger.rows(AuthorCallRow, config.run_id)
        last = {r.name: r.value for r in ledger.rows(MetricRow, config.run_id, step=4)}
    train = {w.world_id for w in worlds if w.origin == "train"}
    assert {w.origin for w in worlds} >= {"train", "test"} and "grown" not in {w.origin for w in worlds}
    # Three asks of eight tasks each, as many as three new worlds would bring, in two worlds.
    assert len(briefs) == 3 and {b.admitted_world_id for b in briefs} == train
    assert not {c.brief_id for c in calls} & {b.brief_id for b in briefs}  # no author is asked for tasks
    assert len(grown) == 24 and {t.world_id for t in grown} == train
    assert (last["pool/worlds"], last["pool/tasks"]) == (2.0, 16 + 24)
    told = [(t.world_id, t.instruction) for t in (*tasks, *grown)]
    assert len(set(told)) == len(told)  # none says what another one says


def test_distinct_growth_asks_to_avoid_what_was_grown_within_the_iteration_too(tmp_path: Path) -> None:
    config, directory = run_of(tmp_path, "growth.distinct=true", "growth.quota=4", "growth.attempts=12")
    with Ledger(directory.ledger, create=False) as ledger:
        briefs = [b for b in ledger.rows(BriefRow, config.run_id) if b.admitted_world_id]
        stored = [read_world(directory.worlds, b.admitted_world_id or "").world for b in briefs]
    assert len(stored) >= 4
    assert len({w.tool_set for w in stored}) == len({w.schema_digest for w in stored}) == len(stored)
    avoided = [brief.brief["target"]["avoid_schemas"] for brief in briefs]
    assert sorted(map(len, avoided)) == list(range(len(stored)))  # as many as were admitted before it


def test_a_world_that_no_pool_wants_is_refused_before_it_has_tasks_and_costs_no_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grow, "refusals", lambda world, reserved, existing: ["equal_world"])
    config, directory = run_of(tmp_path)
    with Ledger(directory.ledger, create=False) as ledger:
        briefs = ledger.rows(BriefRow, config.run_id)
        calls = ledger.rows(AuthorCallRow, config.run_id, step=4)
        charges = ledger.rows(ChargeRow, config.run_id, step=4)
    assert [b.refused for b in briefs] == [{"equal_world": 2}] * 3
    assert calls and all(call.accepted for call in calls)  # the worlds themselves were sound
    assert [(c.purpose, c.steps) for c in charges] == [("audit", 0)]


def test_a_world_that_misses_its_goal_is_counted_audited_and_not_admitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planet.synthesize.on_target", lambda key, cell: False)
    metrics, briefs = grown(tmp_path)
    # Six syntheses; two of them touch a reserved pair and have no tasks.
    assert sum(b.refused.get("off_target", 0) for b in briefs) == 4 and metrics["grow/audit_steps"] > 0
    assert all(b.on_target is False for b in briefs if "off_target" in b.refused)
    assert metrics["grow/admitted"] == metrics["grow/on_target_worlds"] == 0 < metrics["grow/targeted_worlds"]


def test_an_equal_schema_is_refused_where_the_brief_asked_to_avoid_it() -> None:
    world = synthesize(Brief(text="a"), TemplateAuthor(), load_catalog(), 1, tasks=2).world
    assert world is not None
    target = Target(cells=("family:update",), quota=1)
    brief = avoiding(Brief(text="a", target=target), [world])
    assert brief.target is not None and brief.target.avoid == (world.tool_set,)
    again = world.replace(brief=brief)
    broken = refusals(again, Reserved(frozenset(), None), existing=())
    assert broken == ["avoided_tools", "avoided_schema"]
    assert avoiding(Brief(text="a"), [world]).target is None


def test_the_oracle_arm_probes_apart_and_is_charged_for_its_common_report_alone(tmp_path: Path) -> None:
    config, directory = run_of(tmp_path, "curriculum.report={type: enrich, probes: 3}")
    with Ledger(directory.ledger, create=False) as ledger:
        charges = ledger.rows(ChargeRow, config.run_id)
        episodes = ledger.rows(EpisodeRow, config.run_id, purpose="diagnose")
        steps = [row for row in ledger.rows(StepRow, config.run_id, kind="diagnose")]
        reports = ledger.rows(ReportRow, config.run_id)
    probing = [c for c in charges if c.purpose == "oracle_probe"]
    assert [c.step for c in probing] == [3] and not any(c.charged for c in probing)
    # Two worlds of eight tasks, once each in the common report; three times in the oracle's.
    enriched = [WeaknessReport.model_validate(s.detail["enriched"]) for s in steps if "enriched" in s.detail]
    assert [r.episodes for r in enriched] == [48] and len(episodes) == 2 * 16
    assert [WeaknessReport.model_validate(r.report).episodes for r in reports] == [16, 16]
    charged = {c.step: c.charged for c in charges if c.purpose == "diagnose"}
    assert charged == {3: True, 8: False}


def test_rungs_stand_in_the_ledger_and_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, directory = run_of(tmp_path, "targeting.ladder={below: 0.9, learned: 0.95, episodes: 4}")
    with Ledger(directory.ledger, create=False) as ledger:
        briefs = [b.brief["target"] for b in ledger.rows(BriefRow, config.run_id)]
        detail = [row.detail for row in ledger.rows(StepRow, config.run_id, kind="grow")]
    rungs = [f"{target['rung']}: {target['cells'][0]}" for target in briefs if target["rung"]]
    assert rungs and sum(sum(d["rungs"].values()) for d in detail) == len(rungs)
    assert all(rung in {name for d in detail for name in d["rungs"]} for rung in rungs)
    assert f"; ladders: rung {next(iter(detail[0]['rungs']))} x " in capsys.readouterr().out


def test_a_placebo_and_the_closed_loop_begin_with_one_report_and_aim_at_different_cells(
    tmp_path: Path,
) -> None:
    aims = []
    for name in ("as_measured", "permute"):
        config, directory = run_of(tmp_path / name, f"curriculum.report={name}")
        with Ledger(directory.ledger, create=False) as ledger:
            first = ledger.rows(ReportRow, config.run_id)[0].report
            targets = [b.brief["target"] for b in ledger.rows(BriefRow, config.run_id)]
        aims.append((first, [t["cells"] for t in targets], [t["difficulty"] for t in targets]))
    assert aims[0][0] == aims[1][0] and aims[0][1] != aims[1][1] and aims[0][2] == aims[1][2]
