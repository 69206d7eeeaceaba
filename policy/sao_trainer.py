"""`SaoTrainer`: single episodes and their rewards become new parameters, with a critic (SAO).

An update: the critic values the episodes, and token advantages follow from its values and the rewards; the
actor takes one step; then the critic takes its passes over the same episodes. In the first updates the critic
alone learns, because an actor that follows a critic that knows nothing forgets what the warm start taught.
"""

from collections.abc import Sequence
from typing import NamedTuple

import jax
import numpy as np

from policy import critic, gradients
from policy.actor import Actor, Metrics, ages, filled, over_batches, summary
from policy.config import DecoderConfig, PackingConfig, SaoConfig
from policy.critic import CriticState, critic_of
from policy.decoder import Params, parameters
from policy.episode import TokenTrace
from policy.grpo import token_weights
from policy.optimizer import direction, initial, rates
from policy.packing import Example, Rows, batches, pack
from policy.sao import episodes_of, length_decay, token_advantages, weighed
from policy.sharding import placed
from policy.state import TrainState


class Rewarded(NamedTuple):
    """A token trace and the reward of its episode."""

    tokens: TokenTrace
    reward: float


class SaoTrainer:
    """SAO on a decoder. `temperature` is the one at which the traces were sampled."""

    def __init__(
        self,
        decoder_config: DecoderConfig,
        sao: SaoConfig,
        packing: PackingConfig,
        temperature: float = 1.0,
    ) -> None:
        self.decoder = decoder_config
        self.config = sao
        self.packing = packing
        self._actor = Actor(decoder_config, gradients.objective_of(sao), sao.optimizer, packing, temperature)
        self._way = direction(sao.critic.optimizer)

    def init(self, seed: int) -> TrainState:
        """Fresh parameters, optimizer state and critic."""
        return self.adopt(parameters(self.decoder, seed))

    def adopt(self, params: Params) -> TrainState:
        """Given parameters with a fresh optimizer state, and a critic that begins as a copy of them."""
        params = placed(params)
        opt_state = initial(self.config.optimizer, params)
        return TrainState(params, opt_state, 0, critic_of(params, self.config.critic.optimizer))

    def update(self, state: TrainState, rewarded: Sequence[Rewarded]) -> tuple[TrainState, Metrics]:
        """One update from a batch of episodes; the given state's arrays are consumed.

        The metrics are a function of state and episodes, so that a resumed run reports the same: what the
        actor says while the critic warms up is left out.

        Raises AgreementError when, at the first update of this trainer, its log-probabilities are not the
        sampler's.
        """
        if state.critic is None:
            raise ValueError("SAO needs a critic, and this state was made without one; begin from `adopt`")
        if not any(item.tokens.sampled.any() for item in rewarded):  # or momentum alone would move both
            return state._replace(version=state.version + 1), {"actor_steps": 0.0}
        packed, returns = self.with_advantages(state.critic, self.pack(rewarded, state.version))
        number = state.version - self.config.critic.warmup_updates
        params, opt_state, metrics = state.params, state.opt_state, {"packed_share": filled(packed)}
        if number >= 0 or not self._actor.agreed:
            progress = self._actor.gradients(params, packed)
            told = summary(progress.sums)
            traces = [item.tokens for item in rewarded]
            self._actor.require_agreement(told["max_gap"], traces, state.version)
            if number >= 0:
                now = rates(self.config.optimizer, number, self.config.decay_updates, self.config.final_rate)
                params, opt_state, norms = self._actor.step(params, opt_state, progress, now)
                metrics |= {**told, **norms, "agreement_gap": told["max_gap"]}
        learned, knew = self._critic_passes(state.critic, returns, state.version)
        metrics |= {**knew, **_spread(packed), "actor_steps": float(number >= 0)}
        return TrainState(params, opt_state, state.version + 1, learned), metrics

    def pack(self, rewarded: Sequence[Rewarded], version: int) -> Rows:
        """Episodes in rows, with the weight that the configured aggregation gives their tokens.

        `version` is that of the parameters that learn.
        """
        counts = [int(item.tokens.sampled.sum()) for item in rewarded]
        weights = token_weights(counts, self.config.aggregation, self.config.token_budget)
        examples = [
            Example(
                item.tokens.ids,
                item.tokens.sampled,
                item.tokens.logp,
                0.0,
                float(weight),
                item.reward,
                ages(item.tokens, version),
            )
            for item, weight, count in zip(rewarded, weights, counts, strict=True)
            if count  # one whose prompt alone was too long has nothing to learn from
        ]
        return pack(examples, self.packing.width)

    def with_advantages(self, state: CriticState, packed: Rows) -> tuple[Rows, Rows]:
        """(for the actor, with token advantages; for the critic, with returns as rewards)."""
        config = self.config
        values = over_batches(
            packed,
            self.packing.rows,
            lambda batch: critic.values(self.decoder, state.learned, state.frozen, batch),
        )
        episodes = episodes_of(packed)
        decay = length_decay(episodes.length, config.length_scale)
        advantages = token_advantages(packed.reward, values, episodes, config.discount, decay)
        returns = values + token_advantages(
            packed.reward, values, episodes, config.discount, config.critic.decay
        )
        for_actor = weighed(advantages, config.negative_weight).astype(np.float32)
        for_critic = np.where(episodes.sampled, returns, 0.0).astype(np.float32)
        return packed._replace(advantage=for_actor), packed._replace(reward=for_critic)

    def _critic_passes(self, state: CriticState, packed: Rows, version: int) -> tuple[CriticState, Metrics]:
        """The critic after its steps on an update's returns; metrics of its first pass."""
        learned, frozen, opt_state = state
        told: list[Metrics] = []
        for number in range(self.config.critic.passes):
            progress = gradients.nothing_yet(learned, critic.SUMS)
            for batch in batches(packed, self.packing.rows):
                progress = critic.accumulate(self.decoder, learned, frozen, progress, batch)
            told.append(critic.summary(progress.sums))
            now = rates(self.config.critic.optimizer, version * self.config.critic.passes + number)
            learned, opt_state, norms = gradients.step(self._way, learned, opt_state, progress.gradients, now)
            told[-1]["critic_gradient_norm"] = float(jax.device_get(norms["gradient_norm"]))
        return CriticState(learned, frozen, opt_state), told[0]


def _spread(packed: Rows) -> Metrics:
    """Mean and standard deviation of the actor's token advantages."""
    advantages = packed.advantage[packed.weight > 0]
    if not len(advantages):
        return {}
    return {"advantage": float(advantages.mean()), "advantage_deviation": float(advantages.std())}
