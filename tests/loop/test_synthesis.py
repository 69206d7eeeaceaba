"""What the loop keeps of a synthesis: whether its world was sound, what kept it out, and when."""

from pathlib import Path

import pytest

from loop.proposing.making import make
from loop.worlds.synthesis import Synthesized, synthesized
from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.records.world import Brief, Target
from planet.store import world_ids
from tests.fakes import ScriptedAuthor, mute

CATALOG = load_catalog()
BRIEF = Brief(text="A company.")
AIMED = BRIEF.replace(target=Target(cells=("family:update",), quota=2))


def test_a_sound_world_is_valid_also_when_no_pool_wants_it() -> None:
    made = synthesized(BRIEF, TemplateAuthor(), CATALOG, 0, 2)
    assert (made.valid, made.complete, made.refused.get("equal_world")) == (True, True, None)
    unfit = synthesized(BRIEF, TemplateAuthor(), CATALOG, 0, 2, unfit=lambda world: ["equal_world"])
    assert (unfit.valid, unfit.complete, unfit.refused) == (True, False, {"equal_world": 1})
    assert unfit.audit_steps == 0 < made.audit_steps and unfit.calls == made.calls


@pytest.mark.parametrize(
    ("brief", "author", "rule"),
    [
        (Brief(text="x", industry="alchemy"), TemplateAuthor(), "brief"),
        (BRIEF, ScriptedAuthor({"company": [mute(), mute(), mute()]}), "author"),
    ],
)
def test_what_is_no_sound_world_is_not_valid(brief: Brief, author: object, rule: str) -> None:
    made = synthesized(brief, author, CATALOG, 0, 2)
    assert not made.valid and not made.complete and made.refused[rule] >= 1


def test_a_world_that_misses_its_goal_is_refused_once_it_has_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planet.synthesize.on_target", lambda key, cell: False)
    made: Synthesized = synthesized(AIMED, TemplateAuthor(), CATALOG, 0, 2)
    assert made.complete and made.on_target is False
    assert made.refused["off_target"] == 1 and made.audit_steps > 0


def test_a_proposal_is_tried_again_where_its_world_is_off_target_or_unwanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("planet.synthesize.on_target", lambda key, cell: False)
        (missed,) = make([AIMED], TemplateAuthor(), CATALOG, tmp_path / "missed", 2, 0)
    assert (missed.tries, missed.valid, missed.solvable, missed.refused["off_target"]) == (3, 3, 3, 3)
    monkeypatch.setattr("loop.proposing.making.refusals", lambda world, reserved, existing: ["equal_world"])
    (unwanted,) = make([AIMED], TemplateAuthor(), CATALOG, tmp_path / "unwanted", 2, 0)
    assert (unwanted.tries, unwanted.valid, unwanted.solvable) == (3, 3, 0)
    assert unwanted.refused == {"equal_world": 3} and unwanted.audit_steps == 0
    assert missed.world_id is None and unwanted.world_id is None
    assert not any(world_ids(folder) for folder in tmp_path.iterdir())
