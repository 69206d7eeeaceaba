"""`Trainer`: graded token traces become new parameters."""

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from policy import gradients
from policy.config import DecoderConfig, GrpoConfig, PackingConfig
from policy.decoder import Params, parameters
from policy.gradients import Progress
from policy.grpo import check_agreement, token_weights
from policy.memory import keep_freed_memory
from policy.optimizer import direction, initial, rates
from policy.packing import Example, Packed, batches, pack
from policy.rollout import TokenTrace
from policy.sharding import placed

Metrics = dict[str, float]


class TrainState(NamedTuple):
    """Everything that training changes. `version` counts updates."""

    params: Params
    opt_state: optax.OptState
    version: int


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
        keep_freed_memory()
        self.decoder = decoder_config
        self.config = grpo
        self.packing = packing
        self.temperature = jnp.float32(temperature)
        self._agreed = False
        self._objective = gradients.objective_of(grpo)
        self._way = direction(grpo.optimizer)

    def init(self, seed: int) -> TrainState:
        """Fresh parameters and optimizer state."""
        return self.adopt(parameters(self.decoder, seed))

    def adopt(self, params: Params, version: int = 0) -> TrainState:
        """Given parameters with a fresh optimizer state."""
        params = placed(params)
        return TrainState(params, initial(self.config.optimizer, params), version)

    def update(
        self, state: TrainState, scored: Sequence[Scored], reference: Params | None = None
    ) -> tuple[TrainState, Metrics]:
        """One update from a batch of episodes; the given state's arrays are consumed.

        Raises AgreementError when, at the first update of this trainer, its log-probabilities are not the
        sampler's. `reference` is needed when the configuration has a KL penalty.
        """
        if self.config.kl and reference is None:
            raise ValueError(
                f"kl={self.config.kl} needs reference parameters; pass `reference` or set kl to 0"
            )
        examples = self.examples(scored)
        params, opt_state = state.params, state.opt_state
        history: list[Metrics] = []
        for number, part in enumerate(self._minibatches(examples, state.version)):
            packed = pack(part, self.packing.width)
            if self.config.kl and reference is not None:
                packed = self._with_reference(packed, reference)
            progress = self.gradients(params, packed)
            metrics = summary(progress.sums)
            if number == 0:
                metrics["agreement_gap"] = metrics["max_gap"]
                self._require_agreement(metrics["max_gap"], scored, state.version)
            now = rates(
                self.config.optimizer, state.version, self.config.decay_updates, self.config.final_rate
            )
            params, opt_state, norms = gradients.step(self._way, params, opt_state, progress.gradients, now)
            fill = float(np.mean(packed.trunk > 0))
            history.append({**metrics, **{k: float(v) for k, v in norms.items()}, "packed_share": fill})
        return TrainState(params, opt_state, state.version + 1), _merged(history)

    def gradients(self, params: Params, packed: Packed) -> Progress:
        """Gradients of the configured objective, summed over micro-batches."""
        progress = gradients.nothing_yet(params)
        for batch in batches(packed, self.packing.rows):
            progress = gradients.accumulate(
                self.decoder, self.config, params, progress, batch, self.temperature
            )
        return progress

    def examples(self, scored: Sequence[Scored]) -> list[Example]:
        """Traces with the weight that the configured aggregation gives their tokens."""
        counts = [int(item.tokens.sampled.sum()) for item in scored]
        weights = token_weights(counts, self.config.aggregation, self.config.token_budget)
        return [
            Example(item.tokens.ids, item.tokens.sampled, item.tokens.logp, item.advantage, float(weight))
            for item, weight in zip(scored, weights, strict=True)
        ]

    def _minibatches(self, examples: list[Example], version: int) -> list[list[Example]]:
        """Episodes of each optimizer step; a token's weight grows with the number of steps it is spread
        over."""
        parts = []
        for epoch in range(self.config.epochs):
            order = np.random.default_rng((version, epoch)).permutation(len(examples))
            for share in np.array_split(order, min(self.config.minibatches, len(examples))):
                scale = self.config.minibatches
                parts.append([examples[i]._replace(weight=examples[i].weight * scale) for i in sorted(share)])
        return parts

    def _with_reference(self, packed: Packed, reference: Params) -> Packed:
        rows = [
            gradients.target_logp(self.decoder, reference, batch, self.temperature)
            for batch in batches(packed, self.packing.rows)
        ]
        return packed._replace(reference=np.concatenate(jax.device_get(rows))[: len(packed.ids)])

    def _require_agreement(self, gap: float, scored: Sequence[Scored], version: int) -> None:
        if not self._agreed and all(int(item.tokens.version.max()) == version for item in scored):
            check_agreement(gap)
            self._agreed = True


def summary(sums: gradients.Sums) -> Metrics:
    """Means per token, maxima as they are."""
    values = {name: float(value) for name, value in jax.device_get(sums).items()}
    tokens = max(values["tokens"], 1.0)
    return {
        "loss": values["loss"],
        "tokens": values["tokens"],
        "logp": values["logp"] / tokens,
        "entropy": values["entropy"] / tokens,
        "ratio": values["ratio"] / tokens,
        "clip_share": values["clipped"] / tokens,
        "token_accuracy": values["right"] / tokens,
        "max_gap": values["max_gap"],
        "max_ratio": values["max_ratio"],
    }


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
