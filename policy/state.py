"""`TrainState`: everything that training changes."""

from typing import NamedTuple

import optax

from policy.critic import CriticState
from policy.decoder import Params


class TrainState(NamedTuple):
    """Everything that training changes, and what it must not lose. `version` counts updates."""

    params: Params
    opt_state: optax.OptState
    version: int
    critic: CriticState | None = None  # of SAO; None: GRPO
    reference: Params | None = None  # what a KL penalty holds the policy to; None: there is none
