"""docs/curricula.md names every part, rule and purpose that the code has."""

from pathlib import Path

from loop.config import Targeting
from loop.episodes.charging import CHARGED
from loop.plugins import REGISTRY
from loop.worlds.admission import RULES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "curricula.md").read_text(encoding="utf-8")


def test_every_registered_sampler_gate_and_grower_has_a_line() -> None:
    for role in ("sampler", "gate", "grower"):
        for name in REGISTRY[role]:
            assert f"| {role} | `{name}` |" in PAGE


def test_every_admission_rule_stands_with_its_meaning() -> None:
    for rule, meaning in RULES.items():
        assert f"| `{rule}` | {meaning} |" in PAGE


def test_every_purpose_and_key_of_targeting_is_named() -> None:
    for purpose in set(CHARGED) - {"stale"}:  # nothing is stale before there is an asynchronous mode
        assert f"`{purpose}`" in PAGE
    for key in set(Targeting.model_fields) - {"tasks", "difficulty"}:
        assert f"targeting.{key}" in PAGE
