"""`Place`: where an array of the decoder stands among our parameters, in a folder and in a GGUF file."""

from typing import NamedTuple

from policy.config import DecoderConfig

Path = tuple[str | int, ...]
"""Keys that lead to an array in the nested dictionary of parameters."""


class Place(NamedTuple):
    """One array. Matrices are stored [out, in] in both formats, and are [in, out] here."""

    path: Path
    folder: str  # its name in a Hugging Face folder
    gguf: str  # its name in a GGUF file
    shape: tuple[int, ...]  # here
    turned: bool = False  # stored transposed

    @property
    def stored(self) -> tuple[int, ...]:
        """Its shape in a file."""
        return self.shape[::-1] if self.turned else self.shape


def places(config: DecoderConfig) -> list[Place]:
    """Every array of a decoder, from the embedding to the output projection."""
    c = config
    found = [
        Place(("embedding",), "model.embed_tokens.weight", "token_embd.weight", (c.vocabulary_rows, c.width))
    ]
    for layer in range(c.layers):
        found += _attention(c, layer)
        found += _hidden(c, layer)
    found.append(Place(("norm", "scale"), "model.norm.weight", "output_norm.weight", (c.width,)))
    if not c.tied:
        found.append(Place(("head",), "lm_head.weight", "output.weight", (c.width, c.vocabulary_rows), True))
    return found


def _attention(c: DecoderConfig, layer: int) -> list[Place]:
    folder, gguf = f"model.layers.{layer}", f"blk.{layer}"
    at = ("blocks", layer, "attention")
    queries, shared = c.heads * c.head_width, c.kv_heads * c.head_width
    norm = Place(
        ("blocks", layer, "attention_norm", "scale"),
        f"{folder}.input_layernorm.weight",
        f"{gguf}.attn_norm.weight",
        (c.width,),
    )
    matrices = [
        Place((*at, name), f"{folder}.self_attn.{short}_proj.weight", f"{gguf}.{blk}.weight", shape, True)
        for name, short, blk, shape in (
            ("query", "q", "attn_q", (c.width, queries)),
            ("key", "k", "attn_k", (c.width, shared)),
            ("value", "v", "attn_v", (c.width, shared)),
            ("output", "o", "attn_output", (queries, c.width)),
        )
    ]
    norms = [
        Place(
            (*at, f"{name}_norm", "scale"),
            f"{folder}.self_attn.{short}_norm.weight",
            f"{gguf}.attn_{short}_norm.weight",
            (c.head_width,),
        )
        for name, short in (("query", "q"), ("key", "k"))
    ]
    return [norm, *matrices, *(norms if c.qk_norm else [])]


def _hidden(c: DecoderConfig, layer: int) -> list[Place]:
    folder, gguf = f"model.layers.{layer}", f"blk.{layer}"
    norm = Place(
        ("blocks", layer, "hidden_norm", "scale"),
        f"{folder}.post_attention_layernorm.weight",
        f"{gguf}.ffn_norm.weight",
        (c.width,),
    )
    matrices = [
        Place(
            ("blocks", layer, "hidden", name),
            f"{folder}.mlp.{name}_proj.weight",
            f"{gguf}.ffn_{name}.weight",
            shape,
            True,
        )
        for name, shape in (
            ("gate", (c.width, c.hidden)),
            ("up", (c.width, c.hidden)),
            ("down", (c.hidden, c.width)),
        )
    ]
    return [norm, *matrices]
