"""Configuration of the policy: frozen, typed, free of JAX."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

MOST_LAYERS = 1000
"""Of a decoder: its arrays are listed one by one, so far more would keep every plan of it waiting."""

PresetName = Literal[
    "micro", "tiny", "small", "smollm2-135m", "qwen3-0.6b", "qwen3-1.7b", "qwen3-4b", "qwen3-8b"
]


class Config(BaseModel):
    """Base of every configuration: immutable, finite, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class DecoderConfig(Config):
    """Shape of the Qwen3-like decoder (arXiv 2505.09388). The defaults are the `tiny` preset."""

    width: int = Field(128, gt=0)  # d, features of the residual stream
    layers: int = Field(3, gt=0, le=MOST_LAYERS)
    heads: int = Field(4, gt=0)  # query heads; a multiple of kv_heads
    kv_heads: int = Field(2, gt=0)  # key-value heads, each shared by heads / kv_heads query heads
    head_width: int = Field(64, gt=0)  # features of one head; even, because RoPE rotates pairs
    hidden: int = Field(384, gt=0)  # features inside SwiGLU
    vocabulary_rows: int = Field(1024, gt=0)  # rows of the embedding, spare ones included
    copying_start: bool = True  # heads begin as copiers of what they read; off for random output projections
    qk_norm: bool = True  # RMSNorm on each head's queries and keys (Qwen3); off for the Llama family
    tied: bool = True  # the output projection is the transposed embedding
    # What is read is multiplied by sqrt(width); off for published weights. Not recorded when on, so that
    # older digests stand.
    scaled_embedding: bool = Field(True, exclude_if=lambda scaled: scaled)
    rope_base: float = Field(10_000.0, gt=0)  # θ of rotary positions; 1e6 in Qwen3
    norm_epsilon: float = Field(1e-6, gt=0)
    # Training keeps the stream between layers alone and computes what lies inside a layer again on the way
    # back: less memory, a third more work. Not recorded when off, so that older digests stand.
    remat: bool = Field(False, exclude_if=lambda remat: not remat)
    # Of the matrix products in training, on a device that is faster with bfloat16; a CPU goes on in float32.
    # Parameters, gradients and optimizer stay float32. Not recorded when float32.
    compute: Literal["float32", "bfloat16"] = Field("float32", exclude_if=lambda name: name == "float32")

    @model_validator(mode="after")
    def _shapes_fit(self) -> "DecoderConfig":
        if self.heads % self.kv_heads:
            raise ValueError(
                f"heads={self.heads} is not a multiple of kv_heads={self.kv_heads}; change either"
            )
        if self.head_width % 2:
            raise ValueError(
                f"head_width={self.head_width} is odd, and rotary positions need pairs; make it even"
            )
        return self


_PUBLISHED: dict[str, Any] = {
    "copying_start": False,
    "scaled_embedding": False,
    "rope_base": 1e6,
    "head_width": 128,
    "kv_heads": 8,
    "vocabulary_rows": 151_936,
}
"""What the Qwen3 shapes have in common (arXiv 2505.09388 and the config.json files of the weights)."""

PRESETS: dict[PresetName, DecoderConfig] = {
    "micro": DecoderConfig(
        width=32, layers=2, heads=2, kv_heads=1, head_width=16, hidden=64, vocabulary_rows=256
    ),
    "tiny": DecoderConfig(),
    "small": DecoderConfig(width=256, layers=8, heads=4, kv_heads=2, head_width=64, hidden=768),
    "smollm2-135m": DecoderConfig(
        width=576, layers=30, heads=9, kv_heads=3, head_width=64, hidden=1536, vocabulary_rows=49_152,
        qk_norm=False, rope_base=1e5, norm_epsilon=1e-5, copying_start=False, scaled_embedding=False,
    ),
    "qwen3-0.6b": DecoderConfig(width=1024, layers=28, heads=16, hidden=3072, **_PUBLISHED),
    "qwen3-1.7b": DecoderConfig(width=2048, layers=28, heads=16, hidden=6144, **_PUBLISHED),
    "qwen3-4b": DecoderConfig(width=2560, layers=36, heads=32, hidden=9728, **_PUBLISHED),
    "qwen3-8b": DecoderConfig(width=4096, layers=36, heads=32, hidden=12_288, tied=False, **_PUBLISHED),
}  # fmt: skip
"""Named shapes: `micro` for tests, `tiny` (0.9 million parameters) for the main job on a laptop, `small`
(6.6 million, from scratch as well), and published ones for weights that are read (docs/real_weights.md)."""


class OptimizerConfig(Config):
    """Gradient transformation. Muon orthogonalises the update of every matrix inside the blocks, and leaves
    embedding, norms and head to NAdam (Adam with Nesterov momentum); `adam` is plain Adam for everything."""

    name: Literal["muon", "adam"] = "muon"
    learning_rate: float = Field(1e-3, gt=0)  # of the matrices (muon), or of everything (adam)
    embedding_rate: float | None = Field(
        None, gt=0
    )  # NAdam's, for embedding, norms and head under muon; None: same
    beta1: float = Field(0.9, ge=0, lt=1)  # decay of the first moment, of Adam and NAdam
    beta2: float = Field(0.98, ge=0, lt=1)  # decay of the second moment, of both
    momentum: float = Field(0.95, ge=0, lt=1)  # Muon's decay of the momentum, which is Nesterov's
    clip_norm: float | None = Field(1.0, gt=0)  # global norm that gradients are clipped to; None: no clipping
    warmup_steps: int = Field(0, ge=0)  # steps over which the rate rises linearly from 0


class RolloutConfig(Config):
    """How episodes are sampled. Every number but the temperature is a shape: changing one compiles anew."""

    temperature: float = Field(1.0, ge=0)  # logits are divided by it; 0 takes the most likely token
    max_turns: int = Field(8, gt=0)  # tool calls and answers an episode may emit; the session may allow fewer
    max_unreadable: int = Field(2, gt=0)  # turns that are neither call nor answer, at which an episode ends
    max_turn_tokens: int = Field(24, gt=0)  # tokens in which a turn must reach its <end>
    context: int = Field(256, gt=0)  # tokens of an episode, observations included
    slots: int = Field(128, gt=0)  # episodes in progress
    decode_buckets: tuple[int, ...] = (24, 8)  # rows that a decoding call may have
    decode_steps: int = Field(16, gt=0)  # tokens per row that a decoding call samples at most
    chunk_tokens: int = Field(128, gt=0)  # tokens of one prefill call: rows times width
    chunk_widths: tuple[int, ...] = (8, 16, 32, 64, 128)  # tokens that one prefill call may read per row
    copy_rows: int = Field(8, gt=0)  # rows that one call copies

    @property
    def columns(self) -> tuple[int, ...]:
        """How much of the cache a call may look at: the context, its half, and so on down to 128."""
        halves = [self.context]
        while halves[0] % 2 == 0 and halves[0] > 128:
            halves.insert(0, halves[0] // 2)
        return tuple(halves)

    @model_validator(mode="after")
    def _shapes_fit(self) -> "RolloutConfig":
        for name, shapes in (("decode_buckets", self.decode_buckets), ("chunk_widths", self.chunk_widths)):
            if not shapes or min(shapes) < 1:
                raise ValueError(f"{name}={shapes} must hold one or more whole numbers above 0; give some")
        if max(self.decode_buckets) > self.slots:
            raise ValueError(
                f"decode_buckets={self.decode_buckets} holds more rows than slots={self.slots}; raise slots"
            )
        if self.chunk_widths != tuple(sorted(self.chunk_widths)):
            raise ValueError(f"chunk_widths={self.chunk_widths} must rise; sort them")
        if self.max_turn_tokens >= self.context:
            raise ValueError(
                f"max_turn_tokens={self.max_turn_tokens} leaves no room for a task in context={self.context}"
                ", so every episode would end before it begins; lower it, or raise context"
            )
        return self


class PackingConfig(Config):
    """Fixed shapes of training batches: episodes are packed side by side into rows."""

    width: int = Field(256, gt=0)  # tokens of a row; at least `rollout.context`
    rows: int = Field(2, gt=0)  # rows of one micro-batch; few, so that the last one is hardly ever half empty
    # Columns of a micro-batch whose logits are computed at once; columns without a loss have none. More of
    # them keep a large device busy. Not recorded when 64, so that older digests stand.
    loss_columns: int = Field(64, gt=0, exclude_if=lambda columns: columns == 64)


class GrpoConfig(Config):
    """Group-relative policy optimisation (arXiv 2402.03300), clipped asymmetrically (arXiv 2503.14476)."""

    group_size: int = Field(8, gt=0)  # G, episodes of one task in an update
    clip_low: float = Field(0.2, gt=0, lt=1)  # ε_low
    clip_high: float = Field(0.28, gt=0)  # ε_high
    normalisation: Literal["group", "dr"] = (
        "group"  # A = (r - mean) / std, or r - mean (Dr. GRPO, 2503.20783)
    )
    negative_weight: float = Field(0.2, ge=0)  # factor of advantages below 0; 1 is GRPO as published
    # mean over tokens, over episodes (long failures do not outweigh successes), or a fixed budget
    aggregation: Literal["token", "sequence", "dr"] = "sequence"
    token_budget: int = Field(64, gt=0)  # sampled tokens of an episode by which `dr` divides
    kl: float = Field(0.0, ge=0)  # β, weight of the k3 estimate of KL(policy || reference)
    entropy: float = Field(0.0, ge=0)  # weight of the mean token entropy that is added to the objective
    # C, bound of the sampler-to-trainer ratio by which tokens of older parameters are weighed (truncated
    # importance sampling); None: such tokens are treated as the others. Not recorded when 2.
    importance_cap: float | None = Field(2.0, gt=0, exclude_if=lambda cap: cap == 2.0)
    epochs: int = Field(1, gt=0)  # passes over an update's episodes
    minibatches: int = Field(1, gt=0)  # optimizer steps of one pass
    optimizer: OptimizerConfig = OptimizerConfig(learning_rate=3e-3, embedding_rate=1e-4)
    decay_updates: int | None = Field(
        None, gt=0
    )  # updates over which the rates fall linearly; None: constant
    final_rate: float = Field(0.1, ge=0, le=1)  # share of the rates left after them


class CriticConfig(Config):
    """The critic of SAO: a decoder with frozen attention that learns what episodes will earn."""

    passes: int = Field(2, gt=0)  # optimizer steps of the critic for one of the actor
    warmup_updates: int = Field(20, ge=0)  # updates in which the critic alone learns
    decay: float = Field(1.0, ge=0, le=1)  # λ of the returns it learns; 1: the reward itself
    optimizer: OptimizerConfig = OptimizerConfig(name="adam", learning_rate=1e-3)  # 5e-6 for large models


class SaoConfig(Config):
    """Single-rollout asynchronous optimisation (arXiv 2607.07508); `policy.sao` numbers what differs."""

    clip_low: float = Field(0.2, gt=0, lt=1)  # ε_low: tokens with a ratio below 1 - ε_low are masked
    clip_high: float = Field(0.28, gt=0)  # ε_high: and those above 1 + ε_high
    discount: float = Field(1.0, gt=0, le=1)  # γ, per sampled token
    length_scale: float = Field(1.5, gt=0)  # α of the actor's λ = 1 - 1 / (α length)
    negative_weight: float = Field(0.2, ge=0)  # factor of advantages below 0; 1 is SAO as published
    aggregation: Literal["token", "sequence", "dr"] = "sequence"  # as in `GrpoConfig`
    token_budget: int = Field(64, gt=0)  # sampled tokens of an episode by which `dr` divides
    entropy: float = Field(0.0, ge=0)  # weight of the mean token entropy that is added to the objective
    optimizer: OptimizerConfig = OptimizerConfig(learning_rate=3e-3, embedding_rate=1e-4)  # of the actor
    decay_updates: int | None = Field(
        None, gt=0
    )  # updates after the warm-up over which the actor's rates fall linearly; None: constant
    final_rate: float = Field(0.1, ge=0, le=1)  # share of the rates left after them
    critic: CriticConfig = CriticConfig()


class WarmStartConfig(Config):
    """Supervised start on oracle demonstrations."""

    steps: int = Field(160, gt=0)  # optimizer steps
    batch: int = Field(32, gt=0)  # demonstrations of a step
    unheard: float = Field(0.4, ge=0, le=1)  # share of demonstrations in which resources are unknown by name
    optimizer: OptimizerConfig = OptimizerConfig(learning_rate=2e-2, embedding_rate=1e-2, warmup_steps=5)
    final_rate: float = Field(
        0.1, ge=0, le=1
    )  # share of the learning rate left at the last step (linear decay)


class MeshConfig(Config):
    """How many devices share the work, and by what: their product is the number of devices in use."""

    data: int = Field(1, gt=0)  # copies of the policy, each with its share of a micro-batch's rows
    fsdp: int = Field(1, gt=0)  # parts of every matrix and of its optimizer state; rows are shared here too
    tensor: int = Field(1, gt=0)  # parts of heads, hidden features and vocabulary within one row

    @property
    def devices(self) -> int:
        """Devices in use."""
        return self.data * self.fsdp * self.tensor

    @property
    def row_parts(self) -> int:
        """Parts that the rows of a micro-batch fall into."""
        return self.data * self.fsdp


class ProcessesConfig(Config):
    """Several processes that run one policy together, each with its own devices (`jax.distributed`).

    What is None is found by JAX: JAX_COORDINATOR_ADDRESS and JAX_PROCESS_ID, or what a TPU slice or a
    cluster's scheduler says.
    """

    count: int = Field(1, gt=0)
    coordinator: str | None = None  # host:port of process 0
    index: int | None = Field(None, ge=0)  # of this process

    @model_validator(mode="after")
    def _index_is_one_of_them(self) -> "ProcessesConfig":
        if self.index is not None and self.index >= self.count:
            raise ValueError(
                f"index={self.index} is none of count={self.count} processes; give 0 to {self.count - 1}"
            )
        return self


class PolicyConfig(Config):
    """Everything that makes a policy."""

    decoder: DecoderConfig = DecoderConfig()
    # Not recorded when there is one device, so that older digests stand.
    mesh: MeshConfig = Field(MeshConfig(), exclude_if=lambda mesh: mesh.devices == 1)
    rollout: RolloutConfig = RolloutConfig()
    packing: PackingConfig = PackingConfig()
    # How the policy learns from rewards. Not recorded when it is GRPO, so that older digests stand.
    algorithm: Literal["grpo", "sao"] = Field("grpo", exclude_if=lambda name: name == "grpo")
    grpo: GrpoConfig = GrpoConfig()
    sao: SaoConfig = Field(SaoConfig(), exclude_if=lambda sao: sao == SaoConfig())
    warm_start: WarmStartConfig = WarmStartConfig()
    # Published weights to begin with instead of a warm start. Not recorded when absent, so that older digests
    # stand.
    codec: Literal["world", "chat"] = Field("world", exclude_if=lambda name: name == "world")
    weights: str | None = Field(None, exclude_if=lambda path: path is None)  # a folder or .gguf file
    thinking: bool = Field(False, exclude_if=lambda aloud: not aloud)  # lets models think aloud that can
    compilation_cache: str | None = (
        None  # folder of compiled programs, shared by runs; None: compile every time
    )

    @property
    def group_size(self) -> int:
        """Episodes of one task in an update: SAO needs one."""
        return 1 if self.algorithm == "sao" else self.grpo.group_size

    @property
    def actor_optimizer(self) -> OptimizerConfig:
        """What the policy learns from rewards with."""
        return self.sao.optimizer if self.algorithm == "sao" else self.grpo.optimizer

    @model_validator(mode="after")
    def _weights_speak_their_own_language(self) -> "PolicyConfig":
        if (self.codec == "chat") != (self.weights is not None):
            raise ValueError(
                f"codec={self.codec!r} does not go with weights={self.weights!r}; give `codec: chat` and "
                f"the path of published weights, or neither"
            )
        if self.thinking and self.codec != "chat":
            raise ValueError(
                f"thinking=True does nothing with codec={self.codec!r}, which has no words to think in; take "
                f"it out, or give `codec: chat` and the path of published weights"
            )
        return self

    @model_validator(mode="after")
    def _episodes_fit_into_rows(self) -> "PolicyConfig":
        if self.packing.width < self.rollout.context:
            raise ValueError(
                f"packing.width={self.packing.width} is less than rollout.context="
                f"{self.rollout.context}; raise it"
            )
        return self

    @model_validator(mode="after")
    def _rows_fit_the_mesh(self) -> "PolicyConfig":
        if self.packing.rows % self.mesh.row_parts:
            raise ValueError(
                f"packing.rows={self.packing.rows} is not a multiple of mesh.data x mesh.fsdp="
                f"{self.mesh.row_parts}; make it one"
            )
        return self
