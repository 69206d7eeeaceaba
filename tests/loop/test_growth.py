"""Growth keeps to its cap, tries refused briefs elsewhere, and records what it could not make."""

from pathlib import Path
from typing import Any

import pytest

from analysis.ledger import BriefRow, Ledger, MetricRow
from loop.launch import launch
from loop.loading import load
from loop.stages import grow
from loop.worlds.synthesis import Synthesized
from planet.records.world import Brief

MICRO = Path(__file__).resolve().parents[2] / "experiments" / "micro.yaml"


def grown(tmp_path: Path, *overrides: str) -> tuple[dict[str, float], list[BriefRow]]:
    """Metrics of the growth step of a micro run, and its briefs."""
    scripted = ("learner=tests.loop.fakes:NoisyOracle", f"cache={tmp_path}/cache")
    config = load(MICRO, (*scripted, *overrides))
    directory = launch(config, tmp_path / "run")
    with Ledger(directory.ledger, create=False) as ledger:
        rows = ledger.rows(MetricRow, config.run_id, step=4)
        return {r.name: r.value or 0.0 for r in rows}, ledger.rows(BriefRow, config.run_id)


def test_refused_briefs_are_tried_elsewhere_up_to_the_cap_and_the_shortfall_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Brief] = []

    def refuse(brief: Brief, *rest: Any) -> Synthesized:
        tried.append(brief)
        return Synthesized(None, None, (), {"V03": 1}, 5, None)

    monkeypatch.setattr(grow, "synthesized", refuse)
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

        def refuse(brief: Brief, *rest: Any, tried: list = tried) -> Synthesized:
            tried.append((brief.industry, brief.country))
            return Synthesized(None, None, (), {"V03": 1}, 0, None)

        monkeypatch.setattr(grow, "synthesized", refuse)
        grown(tmp_path / grower, f"curriculum.grower={grower}")
    assert offered["closed_loop"] == offered["random_worlds"] and len(offered["closed_loop"]) == 6


def test_a_run_without_growth_asks_for_nothing_and_audits_nothing(tmp_path: Path) -> None:
    metrics, briefs = grown(tmp_path, "curriculum.grower=none")
    assert briefs == [] and metrics["grow/syntheses"] == 0 and metrics["grow/audit_steps"] == 0


def test_a_targeted_brief_says_why_in_counts(tmp_path: Path) -> None:
    _, briefs = grown(tmp_path)
    reasons = [b.brief["target"]["reason"] for b in briefs]
    assert any("episodes over" in reason for reason in reasons)
    assert reasons[-1] == "drawn from the training generator"
