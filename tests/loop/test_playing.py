"""Episodes to play: what is strange to the policy is drawn per prompt, and shared by the group."""

from typing import Any

import pytest

from loop.circle import Circle
from loop.config import Asynchronous, Config
from loop.episodes.playing import prompts
from loop.worlds.pool import Environment, Pool
from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.records.world import Brief
from planet.synthesize import synthesize
from policy.config import PolicyConfig, RolloutConfig
from policy.names import names_of


@pytest.fixture(scope="module")
def pool() -> Pool:
    made = synthesize(Brief(text="a retailer"), TemplateAuthor(), load_catalog(None), 5)
    assert made.world is not None and made.key is not None
    pool = Pool()
    pool.add([Environment(made.world, made.key, made.tasks, "train")])
    return pool


def test_names_are_hidden_from_whole_groups_in_the_share_that_was_asked(pool: Pool) -> None:
    ids = [task.id for task in pool.listed]
    wanted = prompts(pool, ids * 10, group_size=4, step=3, first=0, unheard=0.5, seed=1)
    groups = [wanted[start : start + 4] for start in range(0, len(wanted), 4)]
    assert all(len({member.unheard for member in group}) == 1 for group in groups)
    names = {name for found in names_of(groups[0][0].task.view).values() for name in found}
    assert groups[0][0].unheard <= names
    hidden = sum(bool(group[0].unheard) for group in groups)
    # Half of 100 groups are asked; of these, a few hide no resource (0.5 ** 2 or 3): 50 x 0.8 = 40.
    assert 25 <= hidden <= 55
    assert wanted == prompts(pool, ids * 10, group_size=4, step=3, first=0, unheard=0.5, seed=1)


def test_nothing_is_hidden_when_no_share_is_asked(pool: Pool) -> None:
    ids = [task.id for task in pool.listed]
    assert not any(w.unheard for w in prompts(pool, ids, group_size=2, step=0, first=0))


@pytest.mark.parametrize(
    ("mode", "batch"),
    [(None, 2 * 24), (Asynchronous(), 2 * 24), (Asynchronous(rollout_devices=6), 2 * 6 * 24)],
)
def test_every_device_that_plays_has_two_rounds_of_its_slots_at_a_time(
    mode: Asynchronous | None, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr("loop.circle.play", lambda *parts, batch, **rest: asked.append(batch))
    config = Config(policy=PolicyConfig(rollout=RolloutConfig(slots=24)), asynchronous=mode)
    parts: dict[str, Any] = dict.fromkeys(
        ("directory", "catalog", "author", "sampler", "gate", "grower", "transform", "learner")
    )
    circle = Circle(config=config, checkpoints=None, sessions=None, **parts)  # type: ignore[arg-type]
    circle.play([], temperature=1.0)
    assert asked == [batch]
