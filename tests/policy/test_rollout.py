"""Rollouts: what is sampled depends on the request alone, and nothing compiles twice."""

from collections.abc import Sequence

import jax
import numpy as np
import pytest

from policy.config import DecoderConfig, RolloutConfig
from policy.decoder import Params
from policy.episode import EpisodeRequest, Rollout
from policy.rollout import Playing, RolloutEngine, Work
from policy.world_codec import WorldCodec
from tests.fakes_policy import FAMILIES, ToySession, toy_task

TASKS = [toy_task(0, n, FAMILIES[n % len(FAMILIES)]) for n in range(10)]
REQUESTS = [task.request(f"r{n}") for n, task in enumerate(TASKS)]


def said(rollouts: Sequence[Rollout]) -> dict[str, list[int]]:
    """Tokens by request."""
    return {rollout.request_name: rollout.tokens.ids.tolist() for rollout in rollouts}


@pytest.fixture(scope="module")
def played(engine: RolloutEngine, params: Params) -> list[Rollout]:
    return engine.run(params, REQUESTS, seed=1, version=3)


def test_rollouts_come_in_the_order_of_requests(played: list[Rollout]) -> None:
    assert [rollout.request_name for rollout in played] == [request.name for request in REQUESTS]


def test_neither_order_nor_neighbours_nor_slots_change_what_is_sampled(
    engine: RolloutEngine, params: Params, played: list[Rollout]
) -> None:
    order = np.random.default_rng(0).permutation(len(REQUESTS))
    permuted = engine.run(params, [REQUESTS[i] for i in order], seed=1, version=3)
    assert said(permuted) == said(played)
    few = engine.run(params, REQUESTS[4:6], seed=1, version=3)
    assert said(few) == {name: ids for name, ids in said(played).items() if name in ("r4", "r5")}


def test_another_seed_or_name_samples_other_tokens(
    engine: RolloutEngine, params: Params, played: list[Rollout]
) -> None:
    assert said(engine.run(params, REQUESTS, seed=2, version=3)) != said(played)
    twins = engine.run(params, [TASKS[0].request("a"), TASKS[0].request("b")], seed=1)
    assert twins[0].tokens.ids.tolist() != twins[1].tokens.ids.tolist()


def test_greedy_decoding_does_not_depend_on_name_or_seed(engine: RolloutEngine, params: Params) -> None:
    first = engine.run(params, [TASKS[0].request("a")], seed=1, temperature=0.0)
    second = engine.run(params, [TASKS[0].request("b")], seed=2, temperature=0.0)
    assert first[0].tokens.ids.tolist() == second[0].tokens.ids.tolist()


def test_nothing_compiles_in_steady_state(
    engine: RolloutEngine, params: Params, played: list[Rollout]
) -> None:
    before = engine.compilations
    engine.run(params, REQUESTS[:5], seed=4)
    engine.run(params, REQUESTS, seed=5, temperature=0.7)
    assert engine.compilations == before


def test_a_trace_marks_what_was_sampled_with_log_probability_and_version(played: list[Rollout]) -> None:
    for rollout in played:
        tokens = rollout.tokens
        assert len(tokens.ids) == len(tokens.sampled) == len(tokens.logp) == len(tokens.version)
        assert (tokens.version == 3).all()
        assert (tokens.logp[tokens.sampled] < 0).all()
        assert (tokens.logp[~tokens.sampled] == 0).all()
        assert not tokens.sampled[0]


def test_every_turn_is_a_call_of_the_session_or_the_answer(played: list[Rollout]) -> None:
    for rollout in played:
        assert isinstance(rollout.session, ToySession)
        assert rollout.session.trajectory is rollout.trajectory
        if rollout.trajectory.ended == "turn_limit":
            assert len(rollout.trajectory.calls) == 8
            assert rollout.trajectory.answer is None


def test_unreadable_output_reaches_the_session_as_a_call_without_a_tool(played: list[Rollout]) -> None:
    unreadable = [call for rollout in played for call in rollout.trajectory.calls if call.tool is None]
    assert unreadable, "an untrained policy says hardly anything readable"
    assert all(call.arguments.keys() == {"raw"} for call in unreadable)


def test_two_unreadable_turns_end_an_episode(played: list[Rollout]) -> None:
    for rollout in played:
        unreadable = [call.tool is None for call in rollout.trajectory.calls]
        assert sum(unreadable) <= 2
        assert (rollout.trajectory.ended == "unreadable") == (sum(unreadable) == 2)
        assert rollout.trajectory.ended != "unreadable" or unreadable[-1], "it ends with the second one"
    assert any(rollout.trajectory.ended == "unreadable" for rollout in played)


def test_a_full_context_ends_the_episode_as_truncated(
    codec: WorldCodec, decoder: DecoderConfig, params: Params
) -> None:
    tight = RolloutConfig(
        context=64,
        slots=8,
        decode_buckets=(8, 4),
        chunk_tokens=64,
        chunk_widths=(16, 64),
        max_turn_tokens=12,
        max_unreadable=9,
    )
    rollouts = RolloutEngine(codec, decoder, tight).run(params, REQUESTS[:3], seed=1)
    for rollout in rollouts:
        assert rollout.trajectory.ended == "token_limit"
        assert rollout.truncated
        assert len(rollout.tokens.ids) <= 64


def test_a_session_opens_only_when_a_slot_is_free(engine: RolloutEngine, params: Params) -> None:
    opened: list[ToySession] = []
    most = 0

    def opening(request: EpisodeRequest) -> EpisodeRequest:
        def start() -> ToySession:
            nonlocal most
            session = request.open()
            assert isinstance(session, ToySession)
            opened.append(session)
            most = max(most, sum(s.trajectory is None for s in opened))
            return session

        return request._replace(open=start)

    engine.run(params, [opening(request) for request in REQUESTS], seed=1)
    assert len(opened) == 10
    assert most <= engine.config.slots == 8


def test_a_slot_takes_the_next_request_before_the_other_episodes_end(
    engine: RolloutEngine, params: Params
) -> None:
    playing = Playing(engine, params, seed=1)
    for request in REQUESTS:
        playing.submit(request)
    ended = []
    while not ended:
        ended = playing.advance()
    assert len(playing.queue) == 2
    playing.advance()
    assert len(playing.queue) == max(0, 2 - len(ended))
    assert sum(row is not None for row in playing.rows) > 0


def test_renewed_parameters_sample_what_follows_and_the_trace_says_so(
    engine: RolloutEngine, params: Params, played: list[Rollout]
) -> None:
    other = jax.tree.map(lambda leaf: leaf * 1.5, params)
    playing = Playing(engine, params, seed=1, version=3)
    for request in REQUESTS[:4]:
        playing.submit(request)
    early = playing.advance()
    playing.renew(other, version=4)
    late = []
    while playing.busy:
        late += playing.advance()
    assert not early
    for _, rollout in late:
        versions, alone = rollout.tokens.version, said(played)[rollout.request_name]
        assert sorted(set(versions.tolist())) == [3, 4]
        assert (np.diff(versions) >= 0).all()
        assert rollout.tokens.ids.tolist()[: (versions == 3).sum()] == alone[: (versions == 3).sum()]
    assert any(r.tokens.ids.tolist() != said(played)[r.request_name] for _, r in late)


def test_the_same_parameters_renewed_change_nothing(
    engine: RolloutEngine, params: Params, played: list[Rollout]
) -> None:
    playing = Playing(engine, params, seed=1, version=3)
    for request in REQUESTS[:4]:
        playing.submit(request)
    rollouts = []
    while playing.busy:
        rollouts += playing.advance()
        playing.renew(params, version=3)
    assert said([rollout for _, rollout in rollouts]) == {
        name: ids for name, ids in said(played).items() if name in ("r0", "r1", "r2", "r3")
    }


def test_work_counts_what_the_calls_were_used_for(engine: RolloutEngine, params: Params) -> None:
    engine.work = Work()
    rollouts = engine.run(params, REQUESTS, seed=1)
    work = engine.work
    assert work.decoded == sum(int(r.tokens.sampled.sum()) for r in rollouts)
    assert work.decoded < work.decoded_room
    # what the last turn said need not be read, and a shared prompt is read once
    assert 0 < work.read <= sum(int((~r.tokens.sampled).sum()) for r in rollouts)
    assert work.read < work.read_room
