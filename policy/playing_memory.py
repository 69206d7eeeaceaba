"""How many bytes of a device episodes in progress take; free of JAX.

The cache and the logits of all slots lie there between calls. Beside them one call at a time has arrays of
its own: decoding, reading what episodes were shown, or copying a prompt. The largest of these decides.
"""

from policy.config import PolicyConfig
from policy.layout import shapes, size, tokens_move
from policy.shards import shards

FLOAT = 4
"""Bytes of a value: parameters, gradients, optimizer and cache are float32."""
SCORES = 2.0
"""Arrays as large as all scores of a call that attention needs at once: those of past and present tokens, and
both side by side or the probabilities made of them."""


def playing(config: PolicyConfig) -> dict[str, int]:
    """What takes memory while episodes are played, and how many bytes of one device."""
    calls = (decoding(config), reading(config), copying(config))
    return {
        "key-value cache": cache(config),
        "logits of all slots": FLOAT * _share(config.rollout.slots, config.decoder.vocabulary_rows, config),
        **max(calls, key=lambda call: sum(call.values())),
    }


def cache(config: PolicyConfig) -> int:
    """Bytes of the keys and values of all slots."""
    return _head(config) * _share(config.rollout.slots, config.decoder.kv_heads, config)


def decoding(config: PolicyConfig) -> dict[str, int]:
    """What a decoding call takes beside that."""
    rows = _room(config, max(config.rollout.decode_buckets))
    return {
        "rows that are decoded": _head(config) * _share(rows, config.decoder.kv_heads, config),
        "logits of a turn": 2 * FLOAT * _share(rows, config.decoder.vocabulary_rows, config),
        "weights gathered whole": _weights(config, rows),
    }


def reading(config: PolicyConfig) -> dict[str, int]:
    """What the largest call takes that reads tokens into the cache."""
    calls = (_reading(config, width) for width in config.rollout.chunk_widths)
    return max(calls, key=lambda call: sum(call.values()))


def _reading(config: PolicyConfig, width: int) -> dict[str, int]:
    d, context = config.decoder, config.rollout.context
    rows = _room(config, max(1, config.rollout.chunk_tokens // width))
    scores = _share(rows, d.heads, config) * width * (context + width)
    return {
        "rows that read": _head(config) * _share(rows, d.kv_heads, config) * (context + width) // context,
        "scores of what is read": int(SCORES * FLOAT * scores),
        "weights gathered whole": _weights(config, rows * width),
    }


def copying(config: PolicyConfig) -> dict[str, int]:
    """What a call takes that copies rows of the cache."""
    rows = _room(config, config.rollout.copy_rows)
    return {"rows that are copied": _head(config) * _share(rows, config.decoder.kv_heads, config)}


def _weights(config: PolicyConfig, tokens: int) -> int:
    """Bytes of the layers that a call has gathered, all of them at its beginning. Few tokens go to the
    weights instead."""
    if config.mesh.fsdp == 1 or tokens_move(tokens, config.decoder.width):
        return 0
    blocks = sum(size(shape) for path, shape in shapes(config.decoder).items() if path.startswith("blocks/"))
    return FLOAT * blocks // config.mesh.tensor


def _room(config: PolicyConfig, rows: int) -> int:
    """Rows of a call for so many, at most all slots."""
    slots = config.rollout.slots
    return shards(slots, config.mesh.row_parts).rows_for(min(slots, rows))


def _head(config: PolicyConfig) -> int:
    """Bytes of the keys and values of one head in one slot."""
    return 2 * FLOAT * config.rollout.context * config.decoder.layers * config.decoder.head_width


def _share(rows: int, columns: int, config: PolicyConfig) -> int:
    """Entries of an array [rows, columns] on one device; what the mesh does not divide stays whole."""
    mesh = config.mesh
    over_rows = 1 if rows % mesh.row_parts else mesh.row_parts
    return rows * columns // over_rows // (1 if columns % mesh.tensor else mesh.tensor)
