"""`Fleet`: episodes in progress on several devices.

Every device has a copy of the policy, a cache of its own, and the episodes that were given to it; nothing is
exchanged between devices while they decode. Who gets an episode is decided by counts, so a fleet of given
size always plays alike.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import jax

from policy.decoder import Params
from policy.devices import pushed
from policy.episode import EpisodeRequest, Rollout
from policy.in_flight import numbers, stored, take_up
from policy.rollout import Playing, RolloutEngine


class Fleet:
    """`submit` groups of requests, `advance` until nothing is `busy`, `renew` the parameters."""

    def __init__(
        self,
        engine: RolloutEngine,
        devices: Sequence[jax.Device | None],
        params: Params,
        *,
        seed: int,
        version: int = 0,
        temperature: float | None = None,
    ) -> None:
        """`devices`: None stands for the device or mesh in use."""
        self._devices = list(devices)
        self._playing: list[Playing] = []
        self._global: list[dict[int, int]] = [{} for _ in devices]  # own number -> number in the fleet
        self._submitted = 0
        for device in devices:
            with _on(device):
                copy = pushed(params, device)
                self._playing.append(
                    Playing(engine, copy, seed=seed, version=version, temperature=temperature)
                )

    @property
    def busy(self) -> bool:
        """There are episodes to be played."""
        return any(playing.busy for playing in self._playing)

    def submit(self, requests: Sequence[EpisodeRequest]) -> list[int]:
        """Queue the requests of one group on the device that has the fewest episodes; their numbers.

        Together, because a group shares its prompt, which is read once.
        """
        place = min(range(len(self._playing)), key=lambda i: (len(self._global[i]), i))
        given = []
        for request in requests:
            self._global[place][self._playing[place].submit(request)] = self._submitted
            given.append(self._submitted)
            self._submitted += 1
        return given

    def advance(self) -> list[tuple[int, Rollout]]:
        """One decoding call on every device, and the tools of turns that were over before it; the episodes
        that ended, with their numbers."""
        calls = []
        for device, playing in zip(self._devices, self._playing, strict=True):
            with _on(device):
                calls.append(playing.dispatch())
        ended = [
            (self._global[place].pop(own), rollout)
            for place, playing in enumerate(self._playing)
            for own, rollout in playing.act()
        ]
        for playing, call in zip(self._playing, calls, strict=True):
            playing.hear(call)
        return sorted(ended, key=lambda item: item[0])

    def run(self, requests: Sequence[EpisodeRequest]) -> list[Rollout]:
        """Play requests to their end, one by one given to whoever has the fewest; in their order."""
        given = [self.submit([request])[0] for request in requests]
        done: dict[int, Rollout] = {}
        while self.busy:
            done |= self.advance()
        return [done[number] for number in given]

    def renew(self, params: Params, version: int) -> None:
        """Go on with a copy of other parameters; they read every episode anew and sample what follows."""
        for device, playing in zip(self._devices, self._playing, strict=True):
            with _on(device):
                playing.renew(pushed(params, device), version)

    def state_dict(self) -> dict[str, Any]:
        """The episodes in progress and in the queues, as JSON values; right after `renew`, nothing else is
        needed to go on exactly."""
        return {
            "submitted": self._submitted,
            "numbers": [sorted(known.items()) for known in self._global],
            "playing": [stored(playing) for playing in self._playing],
        }

    def load_state_dict(self, state: Mapping[str, Any], requests: Mapping[int, EpisodeRequest]) -> None:
        """Take up a stored state in a fleet of the same size that plays nothing yet."""
        self._submitted = state["submitted"]
        for place, (known, kept) in enumerate(zip(state["numbers"], state["playing"], strict=True)):
            self._global[place] = dict(map(tuple, known))
            own = {number: requests[self._global[place][number]] for number in numbers(kept)}
            take_up(self._playing[place], kept, own)


@contextmanager
def _on(device: jax.Device | None) -> Iterator[None]:
    """A block that computes on a single device and no mesh; None: where it would anyway."""
    if device is None:
        yield
        return
    with jax.set_mesh(None), jax.default_device(device):
        yield
