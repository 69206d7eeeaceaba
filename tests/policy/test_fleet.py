"""Episodes in progress: stored and taken up they go on exactly, on whichever device they are."""

import json
from typing import Any

import jax
import pytest

from planet.records.episode import ToolResult
from policy.config import MeshConfig
from policy.decoder import Params
from policy.devices import pushed, rollout_devices
from policy.episode import EpisodeRequest
from policy.errors import DeviceError, PolicyError
from policy.fleet import Fleet
from policy.rollout import RolloutEngine
from tests.fakes_policy import FAMILIES, toy_task

TASKS = [toy_task(0, n, FAMILIES[n % len(FAMILIES)]) for n in range(12)]
REQUESTS = [task.request(f"r{n}") for n, task in enumerate(TASKS)]


def rest(fleet: Fleet) -> dict[int, tuple[list, list, list, tuple]]:
    """Everything about the episodes that are still to end, by number."""
    done = {}
    while fleet.busy:
        for number, rollout in fleet.advance():
            tokens = rollout.tokens
            done[number] = (
                tokens.ids.tolist(), tokens.logp.tolist(), tokens.version.tolist(), rollout.trajectory.calls,
            )  # fmt: skip
    return done


@pytest.fixture(scope="module")
def stopped(engine: RolloutEngine, params: Params) -> tuple[Fleet, str]:
    """A fleet with episodes in slots (8) and in the queue (4), whose parameters were renewed; its state."""
    fleet = Fleet(engine, [None], params, seed=1, version=3)
    assert fleet.submit(REQUESTS) == list(range(12))
    ended = [number for _ in range(3) for number, _ in fleet.advance()]
    fleet.renew(jax.tree.map(lambda leaf: leaf * 1.1, params), version=4)
    state = json.dumps(fleet.state_dict())
    rows = json.loads(state)["playing"][0]["rows"]
    assert any(row and row["turns"] for row in rows), f"some calls are to be repeated; {ended} have ended"
    return fleet, state


@pytest.fixture(scope="module")
def undisturbed(stopped: tuple[Fleet, str]) -> dict[int, Any]:
    return rest(stopped[0])


def test_episodes_taken_up_elsewhere_end_as_they_would_have_ended(
    engine: RolloutEngine, params: Params, stopped: tuple[Fleet, str], undisturbed: dict[int, Any]
) -> None:
    again = Fleet(engine, [None], jax.tree.map(lambda leaf: leaf * 1.1, params), seed=1, version=4)
    again.load_state_dict(json.loads(stopped[1]), dict(enumerate(REQUESTS)))
    taken_up = rest(again)
    assert taken_up == undisturbed
    assert any({3, 4} <= set(versions) for _, _, versions, _ in taken_up.values())


def test_a_world_that_answers_otherwise_than_it_did_is_refused(
    engine: RolloutEngine, params: Params, stopped: tuple[Fleet, str]
) -> None:
    def changed(request: EpisodeRequest) -> EpisodeRequest:
        def start() -> Any:
            session = request.open()
            session.call = lambda tool, arguments: ToolResult({"id": "changed", "created": True}, None)
            return session

        return request._replace(open=start)

    again = Fleet(engine, [None], params, seed=1, version=4)
    with pytest.raises(PolicyError, match=r"episode r\d+ cannot be taken up: its world shows"):
        again.load_state_dict(json.loads(stopped[1]), {n: changed(r) for n, r in enumerate(REQUESTS)})


def test_a_group_goes_to_the_device_that_has_the_fewest_episodes_and_is_numbered_as_submitted(
    engine: RolloutEngine, params: Params
) -> None:
    fleet = Fleet(engine, [None, None], params, seed=1)
    assert fleet.submit(REQUESTS[:3]) == [0, 1, 2]
    assert fleet.submit(REQUESTS[3:4]) == [3]  # 3 against 0
    assert fleet.submit(REQUESTS[4:6]) == [4, 5]  # 3 against 1
    assert fleet.submit(REQUESTS[6:7]) == [6]  # 3 against 3: the first
    places = [[number for _, number in known] for known in fleet.state_dict()["numbers"]]
    assert places == [[0, 1, 2, 6], [3, 4, 5]]


def test_what_is_sampled_does_not_depend_on_how_many_play(engine: RolloutEngine, params: Params) -> None:
    alone = engine.run(params, REQUESTS[:5], seed=1)
    together = Fleet(engine, [None, None], params, seed=1).run(REQUESTS[:5])
    assert [r.tokens.ids.tolist() for r in together] == [r.tokens.ids.tolist() for r in alone]


def test_pushed_parameters_survive_an_update_that_consumes_the_others(params: Params) -> None:
    mine = jax.tree.map(jax.numpy.copy, params)
    copy = pushed(mine, None)
    jax.tree.map(lambda leaf: leaf.delete(), mine)
    assert all(not leaf.is_deleted() for leaf in jax.tree.leaves(copy))


def test_more_devices_than_there_are_are_refused_and_none_are_those_that_learn() -> None:
    assert rollout_devices(MeshConfig(fsdp=2), 0) == [None]
    with pytest.raises(DeviceError, match=r"2 devices that learn .* and 600 that play .* are 602, and there"):
        rollout_devices(MeshConfig(fsdp=2), 600)
