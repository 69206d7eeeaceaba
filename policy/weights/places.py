"""`Place`: where an array of the decoder stands among our parameters, in a folder and in a GGUF file."""

from typing import NamedTuple

from policy.config import DecoderConfig
from policy.layout import shapes

Path = tuple[str | int, ...]
"""Keys that lead to an array in the nested dictionary of parameters."""
_OUTSIDE = {
    "embedding": ("model.embed_tokens", "token_embd"),
    "norm/scale": ("model.norm", "output_norm"),
    "head": ("lm_head", "output"),
}
_OF_A_LAYER = {
    "attention_norm/scale": ("input_layernorm", "attn_norm"),
    "attention/query": ("self_attn.q_proj", "attn_q"),
    "attention/key": ("self_attn.k_proj", "attn_k"),
    "attention/value": ("self_attn.v_proj", "attn_v"),
    "attention/output": ("self_attn.o_proj", "attn_output"),
    "attention/query_norm/scale": ("self_attn.q_norm", "attn_q_norm"),
    "attention/key_norm/scale": ("self_attn.k_norm", "attn_k_norm"),
    "hidden_norm/scale": ("post_attention_layernorm", "ffn_norm"),
    "hidden/gate": ("mlp.gate_proj", "ffn_gate"),
    "hidden/up": ("mlp.up_proj", "ffn_up"),
    "hidden/down": ("mlp.down_proj", "ffn_down"),
}
"""Path -> (name in a folder, name in a GGUF file), of a layer's arrays after the layer's own."""


class Place(NamedTuple):
    """One array. Matrices are stored [out, in] in both formats, and are [in, out] here."""

    path: Path
    folder: str  # its name in a Hugging Face folder
    gguf: str  # its name in a GGUF file
    shape: tuple[int, ...]  # here
    turned: bool  # stored transposed

    @property
    def stored(self) -> tuple[int, ...]:
        """Its shape in a file."""
        return self.shape[::-1] if self.turned else self.shape


def places(config: DecoderConfig) -> list[Place]:
    """Every array of a decoder, from the embedding to the output projection."""
    return [_place(path, shape) for path, shape in shapes(config).items()]


def _place(path: str, shape: tuple[int, ...]) -> Place:
    keys: Path = tuple(path.split("/"))
    if path in _OUTSIDE:
        folder, gguf = _OUTSIDE[path]
    else:
        _, layer, rest = path.split("/", 2)
        keys = ("blocks", int(layer), *rest.split("/"))
        folder, gguf = _OF_A_LAYER[rest]
        folder, gguf = f"model.layers.{layer}.{folder}", f"blk.{layer}.{gguf}"
    turned = len(shape) == 2 and path != "embedding"  # which is looked up by rows everywhere
    return Place(keys, f"{folder}.weight", f"{gguf}.weight", shape, turned)
