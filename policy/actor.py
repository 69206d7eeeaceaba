"""The part of learning that GRPO and SAO share: a decoder's gradients on packed episodes, and its steps."""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
import optax

from policy import gradients
from policy.config import DecoderConfig, OptimizerConfig, PackingConfig
from policy.decoder import Params
from policy.episode import TokenTrace
from policy.gradients import Objective, Progress
from policy.grpo import check_agreement
from policy.memory import keep_freed_memory
from policy.optimizer import Rates, direction
from policy.packing import Rows, batches

Metrics = dict[str, float]
AGREEMENT = {"float32": 1e-5, "bfloat16": 5e-2}
"""How far trainer and sampler may be apart, by what the trainer computes in."""


class Actor:
    """A policy as something that learns; by demonstrations, when it has no objective. `temperature` is the
    one at which its episodes were sampled."""

    def __init__(
        self,
        decoder: DecoderConfig,
        objective: Objective | None,
        optimizer: OptimizerConfig,
        packing: PackingConfig,
        temperature: float,
    ) -> None:
        keep_freed_memory()
        self.decoder = decoder
        self.packing = packing
        self.temperature = jnp.float32(temperature)
        self._objective = objective
        self._way = direction(optimizer)
        self._agreed = False

    @property
    def agreed(self) -> bool:
        """Whether sampler and trainer were found to agree."""
        return self._agreed

    def gradients(self, params: Params, packed: Rows) -> Progress:
        """Gradients of the objective, summed over micro-batches."""
        progress = gradients.nothing_yet(params)
        for batch in batches(packed, self.packing.rows):
            progress = gradients.accumulate(
                self.decoder,
                self._objective,
                params,
                progress,
                batch,
                self.temperature,
                columns=self.packing.loss_columns,
            )
        return progress

    def logp(self, params: Params, packed: Rows) -> np.ndarray:
        """Log-probabilities [n, w] of the sampled tokens."""
        columns = self.packing.loss_columns
        return over_batches(
            packed,
            self.packing.rows,
            lambda batch: gradients.target_logp(
                self.decoder, params, batch, self.temperature, columns=columns
            ),
        )

    def step(
        self, params: Params, opt_state: optax.OptState, progress: Progress, now: Rates
    ) -> tuple[Params, optax.OptState, Metrics]:
        """One optimizer step; the given arrays are consumed. The metrics are norms."""
        params, opt_state, norms = gradients.step(self._way, params, opt_state, progress.gradients, now)
        return params, opt_state, {name: float(value) for name, value in jax.device_get(norms).items()}

    def require_agreement(self, gap: float, traces: Sequence[TokenTrace], version: int) -> None:
        """Once, on episodes that are all of the present parameters and sampled something: AgreementError when
        the gap is wide."""
        if self._agreed or not any(bool(trace.sampled.any()) for trace in traces):
            return
        if all(bool((trace.version == version).all()) for trace in traces):
            check_agreement(gap, AGREEMENT[gradients.computed_in(self.decoder)])
            self._agreed = True


def over_batches(packed: Rows, rows: int, read: Callable[[Rows], jax.Array]) -> np.ndarray:
    """What is read [rows, w] of every micro-batch, as one array [n, w]."""
    parts = [read(batch) for batch in batches(packed, rows)]
    return np.concatenate(jax.device_get(parts))[: len(packed.ids)]


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
        "stale_share": values["stale"] / tokens,
        "max_age": values["max_age"],
        "max_gap": values["max_gap"],
        "max_ratio": values["max_ratio"],
    }


def filled(packed: Rows) -> float:
    """Share of the columns that hold a token."""
    return float(np.mean(packed.trunk > 0))


def ages(trace: TokenTrace, version: int) -> np.ndarray:
    """Updates [t] between the parameters that sampled a token and those of a version."""
    return np.maximum(version - trace.version, 0).astype(np.int32)
