"""Warm start: supervised learning of oracle demonstrations, with a loss on what the agent says."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np

from planet.identity import seed_of, stream
from policy import gradients
from policy.actor import Actor, Metrics, summary
from policy.codec import Codec
from policy.config import DecoderConfig, PackingConfig, WarmStartConfig
from policy.decoder import Params
from policy.demonstration import Demonstration, written
from policy.errors import DemonstrationError
from policy.names import unheard_names
from policy.optimizer import direction, initial, rates
from policy.packing import Example, pack

Progressed = Callable[[int, Metrics], None]
"""Called after every step with its number, from 1, and its metrics."""


def examples_of(
    codec: Codec, demonstrations: Sequence[Demonstration], unheard: float = 0.0, seed: int = 0
) -> tuple[list[Example], list[str]]:
    """Demonstrations in tokens, and why some could not be written.

    In a share `unheard` of them resources are unknown by name (`policy.names.unheard_names`), so that the
    policy learns to work with what it does not know.
    """
    examples, refused = [], []
    rng = stream(seed, "unheard names")
    for demonstration in demonstrations:
        strangers = unheard_names(demonstration.view, rng) if rng.random() < unheard else frozenset()
        try:
            examples.append(written(codec, demonstration, strangers))
        except DemonstrationError as error:
            refused.append(str(error))
    return examples, refused


def warm_start(
    decoder: DecoderConfig,
    params: Params,
    examples: Sequence[Example],
    config: WarmStartConfig,
    packing: PackingConfig,
    seed: int,
    progressed: Progressed | None = None,
) -> tuple[Params, list[Metrics]]:
    """Train on demonstrations; the given parameters are consumed. Returns the new ones and metrics per step.

    Every pass over the examples has an order of its own; the learning rate falls to `final_rate` of its
    value.
    """
    if not examples:
        raise DemonstrationError("there is no demonstration to learn from; the foundation set is empty")
    actor = Actor(decoder, None, config.optimizer, packing, temperature=1.0)
    way, state = direction(config.optimizer), initial(config.optimizer, params)
    order = _order(len(examples), seed)
    history: list[Metrics] = []
    for number in range(1, config.steps + 1):
        chosen = [examples[index] for index in islice(order, config.batch)]
        tokens = sum(int(example.sampled.sum()) for example in chosen)
        packed = pack([example._replace(weight=1.0 / tokens) for example in chosen], packing.width)
        progress = actor.gradients(params, packed)
        now = rates(config.optimizer, number - 1, config.steps, config.final_rate)
        # Nobody asks for its norms, so the next batch is packed while it is computed.
        params, state, _ = gradients.step(way, params, state, progress.gradients, now)
        history.append(summary(progress.sums))
        if progressed:
            progressed(number, history[-1])
    return params, history


def _order(size: int, seed: int) -> Iterator[int]:
    """An endless sequence of indices: permutation after permutation."""
    rng = np.random.default_rng(seed_of(seed, "warm start"))
    while True:
        yield from map(int, rng.permutation(size))
