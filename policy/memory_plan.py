"""How many bytes of every device a configuration takes, before anything is made; free of JAX.

What lies in memory for good (parameters, optimizer, reference, critic) and the accumulated gradients follow
from shapes and from the rules of `policy.layout`, exactly. What a program takes while it runs is estimated:
activations by the arrays that the way back needs of every layer, whose counts were fitted to programs that
XLA compiled for a CPU (`tests/policy/test_memory_plan.py` holds the plan to within 15 % of those).

Three phases follow each other, and the largest decides: the gradients of a micro-batch, the optimizer's step,
rollouts over the KV cache. Where episodes go on while the policy learns, their cache and a copy of the policy
are there in all of them; where devices of their own play, these have a plan of their own.
"""

import re
from dataclasses import dataclass
from typing import Literal

from policy.attention_parts import reads
from policy.config import DecoderConfig, MeshConfig, OptimizerConfig, PolicyConfig
from policy.layout import is_muons, loss_columns, shapes, share, size
from policy.playing_memory import FLOAT, playing

STREAM, QUERIES, SHARED, HIDDEN, SCORES = 6.0, 5.0, 1.0, 5.0, 3.2
"""Arrays that the way back through a layer needs: as wide as the stream, as all queries, as all keys, as the
hidden units, and as what all heads read."""
LOGITS = 3.0
"""Arrays as wide as the vocabulary that a loss and its gradient need at once."""


PHASES = ("gradients", "step", "rollout")
_ALWAYS = frozenset(PHASES)
Play = Literal["between", "meanwhile", "elsewhere"]
"""When the devices that learn play: between updates, while they compute them as well, or never."""


@dataclass(frozen=True)
class Item:
    """Something that takes memory."""

    name: str
    bytes: int  # on one device
    exact: bool = False  # follows from shapes alone
    phases: frozenset[str] = _ALWAYS  # in which it is there


@dataclass(frozen=True)
class Plan:
    """What a device of a mesh has to hold."""

    mesh: MeshConfig
    items: tuple[Item, ...]

    def phase(self, name: str) -> int:
        """Bytes of a device in one phase."""
        return sum(item.bytes for item in self.items if name in item.phases)

    @property
    def peak(self) -> str:
        """The phase that takes most."""
        return max(PHASES, key=self.phase)

    @property
    def total(self) -> int:
        """Bytes of a device in that phase."""
        return self.phase(self.peak)

    @property
    def certain(self) -> int:
        """Bytes of a device that are needed whatever a compiler makes of the programs."""
        return max(
            sum(item.bytes for item in self.items if item.exact and name in item.phases) for name in PHASES
        )


def plan(config: PolicyConfig, play: Play = "between") -> Plan:
    """The memory of one device of the configured mesh."""
    decoder, mesh = config.decoder, config.mesh
    every, optimizer = parameter_values(decoder, mesh), config.actor_optimizer
    learning, back = frozenset({"gradients", "step"}), frozenset({"gradients"})
    items = [
        Item("parameters", FLOAT * every, exact=True),
        Item(f"optimizer state ({optimizer.name})", FLOAT * moments(decoder, mesh, optimizer), exact=True),
        Item("gradients, accumulated", FLOAT * every, exact=True, phases=learning),
        Item("fresh gradients of the words", FLOAT * words(decoder, mesh), phases=back),
        Item("activations", activations(config), phases=back),
        Item("logits of a loss", logits(config), phases=back),
        Item("updates of a step", 2 * FLOAT * every, phases=frozenset({"step"})),
    ]
    if play != "elsewhere":
        items += _playing(config, _ALWAYS if play == "meanwhile" else frozenset({"rollout"}))
    if play == "meanwhile":
        items.append(Item("parameters that play", FLOAT * every, exact=True))
    if mesh.fsdp > 1:
        items.append(Item("layers gathered whole", gathered(decoder, mesh), phases=back))
    if config.algorithm == "sao":
        items.append(Item("critic", FLOAT * critic_values(config), exact=True))
    elif config.grpo.kl:
        items.append(Item("reference policy", FLOAT * every, exact=True))
    return Plan(mesh, tuple(items))


def rollout_plan(config: PolicyConfig) -> Plan:
    """The memory of a device that plays and does not learn: the whole policy, and a cache of its own."""
    alone = config.model_copy(update={"mesh": MeshConfig()})
    values = FLOAT * parameter_values(config.decoder, alone.mesh)
    play = frozenset({"rollout"})
    items = (
        Item("parameters", values, exact=True, phases=play),
        Item("parameters that follow them", values, exact=True, phases=play),  # sent while those still lie
        *_playing(alone, play),
    )
    return Plan(alone.mesh, items)


def _playing(config: PolicyConfig, phases: frozenset[str]) -> list[Item]:
    """What episodes in progress take."""
    return [Item(name, count, phases=phases) for name, count in playing(config).items() if count]


def parameter_values(decoder: DecoderConfig, mesh: MeshConfig, without: str = "^$") -> int:
    """Values of the parameters that one device holds, those whose path matches `without` left out."""
    return sum(
        share(path, shape, mesh) for path, shape in shapes(decoder).items() if not re.search(without, path)
    )


def moments(decoder: DecoderConfig, mesh: MeshConfig, optimizer: OptimizerConfig, without: str = "^$") -> int:
    """Values of the optimizer's state: under Muon one momentum of a block's matrix, else two moments."""
    return sum(
        share(path, shape, mesh)
        * (1 if optimizer.name == "muon" and is_muons(path.partition("/")[0], len(shape)) else 2)
        for path, shape in shapes(decoder).items()
        if not re.search(without, path)
    )


def critic_values(config: PolicyConfig) -> int:
    """Values of a critic: the decoder without its head, and moments of what is not attention."""
    decoder, mesh = config.decoder, config.mesh
    learned = moments(decoder, mesh, config.sao.critic.optimizer, without=r"^head$|/attention/")
    return parameter_values(decoder, mesh, without=r"^head$") + learned


def stored_bytes(config: PolicyConfig) -> int:
    """Bytes of a checkpoint, by whatever mesh it is written: parameters, optimizer state, and a critic or
    reference policy where there is one."""
    whole = config.model_copy(update={"mesh": MeshConfig()})
    decoder, mesh = whole.decoder, whole.mesh
    every = parameter_values(decoder, mesh)
    beside = 0
    if config.algorithm == "sao":
        beside = critic_values(whole)
    elif config.grpo.kl:
        beside = every
    return FLOAT * (every + moments(decoder, mesh, config.actor_optimizer) + beside)


def words(decoder: DecoderConfig, mesh: MeshConfig) -> int:
    """Values of embedding and head: their gradients come from both ends of the way back, and wait."""
    return parameter_values(decoder, mesh, without="^blocks/|^norm/")


def activations(config: PolicyConfig) -> int:
    """Bytes of what a device keeps of the way forth for the way back, in the rows of a micro-batch.

    With `remat`, the stream between layers and everything of one layer at a time.
    """
    d, mesh, width = config.decoder, config.mesh, config.packing.width
    tokens = width * config.packing.rows // mesh.row_parts
    layer = (
        STREAM * d.width
        + (
            QUERIES * d.heads * d.head_width
            + SHARED * d.kv_heads * d.head_width
            + HIDDEN * d.hidden
            + SCORES * d.heads * reads(width)
        )
        / mesh.tensor
    )
    each = layer + d.layers * d.width if d.remat else d.layers * layer
    return int(FLOAT * tokens * each)


def logits(config: PolicyConfig) -> int:
    """Bytes of the logits that a device computes at once, with their gradient."""
    rows = config.packing.rows // config.mesh.row_parts
    columns = loss_columns(config.packing.width, config.packing.loss_columns)
    return int(LOGITS * FLOAT * rows * columns * config.decoder.vocabulary_rows / config.mesh.tensor)


def gathered(decoder: DecoderConfig, mesh: MeshConfig) -> int:
    """Bytes of what `fsdp` has split and a device needs whole for a moment: a layer and the next one with
    their gradients, and the table of words."""
    block = sum(size(shape) for path, shape in shapes(decoder).items() if path.startswith("blocks/0/"))
    table = decoder.vocabulary_rows * decoder.width
    return 2 * FLOAT * (2 * block + table) // mesh.tensor
