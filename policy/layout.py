"""Shapes of the decoder's parameters, and how a mesh splits them; free of JAX, so that plans are cheap.

Parameters are split twice: `fsdp` splits the features of the stream, `tensor` what is private to heads,
hidden units and words (Megatron-LM, arXiv 1909.08053; sharded state, ZeRO, arXiv 1910.02054).
"""

import math
import re
from collections.abc import Mapping

from policy.config import DecoderConfig, MeshConfig

Split = tuple[str | None, ...]
"""Per axis of an array, the mesh axis that splits it; None where it stays whole."""

ROWS = ("data", "fsdp")
"""Mesh axes that share the rows of a batch."""
RULES: tuple[tuple[str, Split], ...] = (
    (r"embedding", ("tensor", "fsdp")),  # [v, d]
    (r"head", ("fsdp", "tensor")),  # [d, v]
    (r"attention/(query|key|value)", ("fsdp", "tensor")),  # [d, heads x h]
    (r"attention/output", ("tensor", "fsdp")),  # [heads x h, d]
    (r"hidden/(gate|up)", ("fsdp", "tensor")),  # [d, f]
    (r"hidden/down", ("tensor", "fsdp")),  # [f, d]
)
"""(end of a parameter's path, how its axes are split); what no rule names lies whole on every device."""


def split(path: str, shape: tuple[int, ...], sizes: Mapping[str, int]) -> Split:
    """How an array is split on a mesh with axes of these sizes.

    `path` is slash-separated and ends like the parameter's. An axis of the array that its mesh axis does not
    divide stays whole.
    """
    rule = next((rule for end, rule in RULES if re.search(rf"(^|/){end}$", path)), ())
    if len(rule) != len(shape):
        return (None,) * len(shape)
    return tuple(
        axis if axis is not None and length % sizes[axis] == 0 else None
        for axis, length in zip(rule, shape, strict=True)
    )


def shapes(config: DecoderConfig) -> dict[str, tuple[int, ...]]:
    """Path -> shape of every parameter, from the embedding to the output projection."""
    c = config
    found: dict[str, tuple[int, ...]] = {"embedding": (c.vocabulary_rows, c.width)}
    for layer in range(c.layers):
        found |= {f"blocks/{layer}/{path}": shape for path, shape in _block(c).items()}
    found["norm/scale"] = (c.width,)
    if not c.tied:
        found["head"] = (c.width, c.vocabulary_rows)
    return found


def _block(c: DecoderConfig) -> dict[str, tuple[int, ...]]:
    queries, shared = c.heads * c.head_width, c.kv_heads * c.head_width
    return {
        "attention_norm/scale": (c.width,),
        "attention/query": (c.width, queries),
        "attention/key": (c.width, shared),
        "attention/value": (c.width, shared),
        "attention/output": (queries, c.width),
        **{f"attention/{name}_norm/scale": (c.head_width,) for name in ("query", "key") if c.qk_norm},
        "hidden_norm/scale": (c.width,),
        "hidden/gate": (c.width, c.hidden),
        "hidden/up": (c.width, c.hidden),
        "hidden/down": (c.hidden, c.width),
    }


def tokens_move(tokens: int, width: int) -> bool:
    """Whether tokens that are only read go to where `fsdp` has the matrices, and none of these is gathered.

    For a layer of `qwen3-4b` as many tokens as three quarters of the features have products as large as its
    matrices. Up to twice the features is up to 2.6 times of that moved, and all matrices need not be whole.
    """
    return tokens <= 2 * width


def is_muons(top: object, axes: int) -> bool:
    """Whether a parameter is Muon's: a matrix inside the blocks. `top`: the first part of its path."""
    return top == "blocks" and axes == 2


def loss_columns(width: int, wanted: int) -> int:
    """Columns of a row whose logits are computed at once: the most that divide the row, up to `wanted`.

    The whole row where these would be few: parts of a few columns each cost more than they save.
    """
    limit = min(width, wanted)
    most = next(columns for columns in range(limit, 0, -1) if width % columns == 0)
    return most if most * 4 >= limit else width


def size(shape: tuple[int, ...]) -> int:
    """Values of an array."""
    return math.prod(shape)


def share(path: str, shape: tuple[int, ...], mesh: MeshConfig) -> int:
    """Values of an array that one device of a mesh holds."""
    sizes = mesh.model_dump()
    parts = math.prod(sizes[axis] for axis in split(path, shape, sizes) if axis is not None)
    return size(shape) // parts
