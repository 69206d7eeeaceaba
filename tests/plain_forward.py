"""The forward pass of a Llama or Qwen3 decoder in NumPy, from tensors as their files name them.

Written apart from `policy.decoder`, token by token and head by head, so that agreement of the two says
something. `pairs` says which features one rotary angle turns: "halves" (a feature and the one half a head
further, as in Hugging Face folders) or "neighbours" (as in GGUF files of the Llama family).
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

Matrix = Callable[[str], np.ndarray]
"""A tensor by its short name: embed, norm, head, or LAYER.q, .k, .v, .o, .gate, .up, .down, .n1, .n2, .qn,
.kn."""


def logits(
    ids: Sequence[int], tensor: Matrix, c: dict[str, Any], pairs: Literal["halves", "neighbours"]
) -> np.ndarray:
    """Next-token logits [t, v] in double precision. `c`: layers, heads, kv_heads, head_width, base, epsilon,
    normed, tied."""
    stream = tensor("embed")[list(ids)].astype(np.float64)
    for layer in range(c["layers"]):
        get = _layer(tensor, layer)
        stream = stream + _attention(_norm(stream, get("n1"), c["epsilon"]), get, c, pairs)
        x = _norm(stream, get("n2"), c["epsilon"])
        gate = x @ get("gate").T
        stream = stream + ((gate / (1 + np.exp(-gate))) * (x @ get("up").T)) @ get("down").T
    output = tensor("embed") if c["tied"] else tensor("head")
    return _norm(stream, tensor("norm"), c["epsilon"]) @ output.astype(np.float64).T


def _layer(tensor: Matrix, layer: int) -> Matrix:
    return lambda name: tensor(f"{layer}.{name}").astype(np.float64)


def _attention(x: np.ndarray, get: Matrix, c: dict[str, Any], pairs: str) -> np.ndarray:
    t, h = len(x), c["head_width"]
    queries = (x @ get("q").T).reshape(t, c["heads"], h)
    keys = (x @ get("k").T).reshape(t, c["kv_heads"], h)
    values = (x @ get("v").T).reshape(t, c["kv_heads"], h)
    if c["normed"]:
        queries, keys = _norm(queries, get("qn"), c["epsilon"]), _norm(keys, get("kn"), c["epsilon"])
    out = np.zeros((t, c["heads"], h))
    for head in range(c["heads"]):
        shared = head // (c["heads"] // c["kv_heads"])
        q, k = (_turn(part, c["base"], pairs) for part in (queries[:, head], keys[:, shared]))
        for now in range(t):
            scores = k[: now + 1] @ q[now] / np.sqrt(h)
            weights = np.exp(scores - scores.max())
            out[now, head] = (weights / weights.sum()) @ values[: now + 1, shared]
    return out.reshape(t, -1) @ get("o").T


def _norm(x: np.ndarray, scale: np.ndarray, epsilon: float) -> np.ndarray:
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon) * scale


def _turn(x: np.ndarray, base: float, pairs: str) -> np.ndarray:
    """Rotate [t, h]: pair i at position p by p / base^(2i/h)."""
    t, h = x.shape
    angle = np.arange(t)[:, None] / base ** (np.arange(0, h, 2) / h)
    first, second = (np.arange(0, h, 2), np.arange(1, h, 2)) if pairs == "neighbours" else (
        np.arange(h // 2), np.arange(h // 2, h)
    )  # fmt: skip
    turned = np.empty_like(x)
    turned[:, first] = x[:, first] * np.cos(angle) - x[:, second] * np.sin(angle)
    turned[:, second] = x[:, second] * np.cos(angle) + x[:, first] * np.sin(angle)
    return turned
