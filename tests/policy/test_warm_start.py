"""A warm start makes demonstrated turns likely, and refuses what a policy could never say."""

import numpy as np
import pytest

from planet.records.episode import Call
from policy.config import DecoderConfig, OptimizerConfig, WarmStartConfig
from policy.decoder import parameters
from policy.demonstration import Demonstration, written
from policy.errors import DemonstrationError
from policy.packing import Example
from policy.vocabulary import FIRST_SLOT, FIRST_WORD
from policy.warm_start import examples_of, warm_start
from policy.world_codec import WorldCodec
from tests.fakes_policy import FAMILIES, toy_task
from tests.policy.conftest import PACKING


@pytest.mark.parametrize("family", FAMILIES)
def test_every_oracle_can_be_written_and_only_its_own_words_are_learned(
    family: str, codec: WorldCodec
) -> None:
    demonstration = toy_task(0, 1, family).demonstration()
    example = written(codec, demonstration)
    episode = codec.episode(demonstration.view)
    assert example.ids[: len(episode.prompt())].tolist() == codec.episode(demonstration.view).prompt()
    # Calls and the answer each end with <end>, and so do prompt and observations.
    ends = int((example.ids[example.sampled] == codec.end).sum())
    assert ends == len(demonstration.calls) + 1
    assert int((example.ids == codec.end).sum()) == 2 * len(demonstration.calls) + 2


def changed(call: Call, demonstration: Demonstration) -> Demonstration:
    return demonstration._replace(calls=(call, *demonstration.calls[1:]))


def test_a_literal_that_nothing_has_shown_is_refused(codec: WorldCodec) -> None:
    demonstration = toy_task(0, 1, "direct").demonstration()
    secret = demonstration.calls[0].replace(arguments={"id": "TIC-9999", "status": "open"})
    with pytest.raises(DemonstrationError, match="which neither instruction nor result has shown"):
        written(codec, changed(secret, demonstration))
    examples, refused = examples_of(codec, [demonstration, changed(secret, demonstration)])
    assert (len(examples), len(refused)) == (1, 1)
    assert "TIC-9999" in refused[0]


def test_a_call_that_would_be_read_back_otherwise_is_refused(codec: WorldCodec) -> None:
    demonstration = toy_task(0, 1, "direct").demonstration()
    odd = demonstration.calls[0].replace(arguments={"status": "open", "amount": "in_progress"})
    odd = odd.replace(tool="update_ticket_status")
    with pytest.raises(DemonstrationError, match="is read back as"):
        written(codec, changed(odd, demonstration))


def test_demonstrations_become_likely_and_equal_seeds_learn_equally(
    codec: WorldCodec, decoder: DecoderConfig
) -> None:
    examples, _ = examples_of(codec, [toy_task(0, n, "direct").demonstration() for n in range(64)])
    config = WarmStartConfig(
        steps=30, batch=8, optimizer=OptimizerConfig(learning_rate=2e-2, embedding_rate=1e-2)
    )
    steps: list[int] = []
    first, history = warm_start(
        decoder, parameters(decoder, 0), examples, config, PACKING, 0, lambda n, _: steps.append(n)
    )
    assert steps == list(range(1, 31))
    assert history[-1]["loss"] < history[0]["loss"] / 3
    again, _ = warm_start(decoder, parameters(decoder, 0), examples, config, PACKING, 0)
    assert np.array_equal(first["embedding"], again["embedding"])
    other, _ = warm_start(decoder, parameters(decoder, 0), examples, config, PACKING, 1)
    assert not np.array_equal(first["embedding"], other["embedding"])


def test_nothing_to_learn_from_is_an_error(decoder: DecoderConfig) -> None:
    with pytest.raises(DemonstrationError, match="the foundation set is empty"):
        warm_start(decoder, parameters(decoder, 0), [], WarmStartConfig(), PACKING, 0)


def test_unheard_names_are_shown_and_said_as_slots(codec: WorldCodec) -> None:
    """A name becomes one slot, so no demonstration gets longer, and each stays faithful."""
    demonstrations = [toy_task(0, n, "direct").demonstration() for n in range(20)]
    plain, _ = examples_of(codec, demonstrations)
    strange, refused = examples_of(codec, demonstrations, unheard=1.0, seed=3)
    assert not refused
    assert all(len(s.ids) <= len(p.ids) for s, p in zip(strange, plain, strict=True))

    def slots(examples: list[Example]) -> int:
        return sum(int(((e.ids >= FIRST_SLOT) & (e.ids < FIRST_WORD)).sum()) for e in examples)

    assert slots(strange) > slots(plain)
    again, _ = examples_of(codec, demonstrations, unheard=1.0, seed=3)
    assert all((a.ids == b.ids).all() for a, b in zip(strange, again, strict=True))
