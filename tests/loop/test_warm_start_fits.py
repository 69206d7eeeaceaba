"""A warm start whose rows hold no demonstration says so before anything is learned."""

from pathlib import Path

import pytest

from loop.learning.decoder import DecoderLearner
from loop.learning.demonstrations import demonstrate
from loop.loading import load
from loop.worlds.pool import Environment
from loop.worlds.sessions import SessionPool
from policy.errors import DemonstrationError
from tests.planet.toy_tasks import toy_task
from tests.planet.worlds import toy_world

MICRO = Path(__file__).resolve().parents[2] / "experiments" / "micro.yaml"


def test_rows_that_hold_no_demonstration_are_refused_with_what_they_would_need(tmp_path: Path) -> None:
    world, key = toy_world()
    task = toy_task(world)
    shown = demonstrate(Environment(world, key, (task,), "foundation"), task, SessionPool(8))
    policy = load(MICRO).policy
    narrow = policy.model_copy(update={"packing": policy.packing.model_copy(update={"width": 32})})
    with pytest.raises(
        DemonstrationError, match=r"width: 32 holds none of 3 .*, of which the shortest has \d+"
    ):
        DecoderLearner(narrow, 0, tmp_path).warm_start([shown] * 3, lambda steps: None)
