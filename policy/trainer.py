"""`Trainer`: graded token traces become new parameters, by group-relative policy optimisation (GRPO)."""

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from policy import gradients
from policy.actor import Actor, Metrics, ages, filled, summary
from policy.config import DecoderConfig, GrpoConfig, PackingConfig
from policy.decoder import Params, parameters
from policy.episode import TokenTrace
from policy.gradients import Progress
from policy.grpo import token_weights, truncated_importance
from policy.optimizer import initial, rates
from policy.packing import Example, Rows, pack
from policy.sharding import placed
from policy.state import TrainState


class Scored(NamedTuple):
    """A token trace and the advantage of its episode."""

    tokens: TokenTrace
    advantage: float


class Trainer:
    """GRPO on a decoder. `temperature` is the one at which the traces were sampled."""

    def __init__(
        self,
        decoder_config: DecoderConfig,
        grpo: GrpoConfig,
        packing: PackingConfig,
        temperature: float = 1.0,
    ) -> None:
        self.decoder = decoder_config
        self.config = grpo
        self.packing = packing
        self._actor = Actor(
            decoder_config, gradients.objective_of(grpo), grpo.optimizer, packing, temperature
        )

    def init(self, seed: int) -> TrainState:
        """Fresh parameters and optimizer state."""
        return self.adopt(parameters(self.decoder, seed))

    def adopt(self, params: Params) -> TrainState:
        """Given parameters with a fresh optimizer state; with a KL penalty they are what it holds to."""
        params = placed(params)
        reference = jax.tree.map(jnp.copy, params) if self.config.kl else None
        return TrainState(params, initial(self.config.optimizer, params), 0, reference=reference)

    def update(self, state: TrainState, scored: Sequence[Scored]) -> tuple[TrainState, Metrics]:
        """One update from a batch of episodes; the given state's arrays are consumed, its reference apart.

        When no episode has a sampled token, no step is taken: the version alone rises.

        Raises AgreementError when, at the first update of this trainer, its log-probabilities are not the
        sampler's.
        """
        examples = self.examples(scored, state.version)
        if not examples:  # a step would move the parameters all the same, by their momentum
            return state._replace(version=state.version + 1), {"steps": 0.0, "tokens": 0.0}
        ready = [
            self._ready(state, pack(part, self.packing.width))
            for part in self._minibatches(examples, state.version)
        ]
        now = rates(self.config.optimizer, state.version, self.config.decay_updates, self.config.final_rate)
        params, opt_state = state.params, state.opt_state
        history: list[Metrics] = []
        for number, packed in enumerate(ready):
            progress = self.gradients(params, packed)
            metrics = summary(progress.sums)
            if number == 0:
                metrics["agreement_gap"] = metrics["max_gap"]
                traces = [item.tokens for item in scored]
                self._actor.require_agreement(metrics["max_gap"], traces, state.version)
            params, opt_state, norms = self._actor.step(params, opt_state, progress, now)
            history.append({**metrics, **norms, "packed_share": filled(packed)})
        after = state._replace(params=params, opt_state=opt_state, version=state.version + 1)
        return after, _merged(history)

    def gradients(self, params: Params, packed: Rows) -> Progress:
        """Gradients of the configured objective, summed over micro-batches."""
        return self._actor.gradients(params, packed)

    def examples(self, scored: Sequence[Scored], version: int) -> list[Example]:
        """Traces with the weight that the configured aggregation gives their tokens.

        `version` is that of the parameters that learn.
        """
        counts = [int(item.tokens.sampled.sum()) for item in scored]
        weights = token_weights(counts, self.config.aggregation, self.config.token_budget)
        return [
            Example(
                item.tokens.ids,
                item.tokens.sampled,
                item.tokens.logp,
                item.advantage,
                float(weight),
                age=ages(item.tokens, version),
            )
            for item, weight, count in zip(scored, weights, counts, strict=True)
            if count  # one whose prompt alone was too long has nothing to learn from
        ]

    def _minibatches(self, examples: list[Example], version: int) -> list[list[Example]]:
        """Episodes of each optimizer step; a token's weight grows with the number of steps it is spread
        over."""
        parts = []
        for epoch in range(self.config.epochs):
            order = np.random.default_rng((version, epoch)).permutation(len(examples))
            scale = min(self.config.minibatches, len(examples))
            for share in np.array_split(order, scale):
                parts.append([examples[i]._replace(weight=examples[i].weight * scale) for i in sorted(share)])
        return parts

    def _ready(self, state: TrainState, packed: Rows) -> Rows:
        """Packed episodes with what the parameters before the update say about them, as far as it is
        needed."""
        if self.config.kl:
            if state.reference is None:
                raise ValueError(
                    f"kl={self.config.kl} needs reference parameters, and this state was made without a "
                    f"penalty; begin from `adopt` or set kl to 0"
                )
            packed = packed._replace(reference=self._actor.logp(state.reference, packed))
        cap, stale = self.config.importance_cap, (packed.age > 0) & (packed.weight > 0)
        if cap is None or not stale.any():
            return packed
        now = self._actor.logp(state.params, packed)
        importance = truncated_importance(now, packed.logp, cap)
        return packed._replace(
            logp=np.where(stale, now, packed.logp),
            advantage=np.where(stale, importance * packed.advantage, packed.advantage),
        )


def _merged(history: list[Metrics]) -> Metrics:
    """Metrics of an update from those of its optimizer steps: totals, maxima and means."""
    merged: Metrics = {"steps": float(len(history))}
    for name in history[0]:
        values = [metrics[name] for metrics in history if name in metrics]
        whole = (
            sum(values)
            if name == "tokens"
            else max(values)
            if name.startswith("max_")
            else sum(values) / len(values)
        )
        merged[name] = float(whole)
    return merged
