"""The tokenizer that a GGUF file describes: byte-level BPE, rebuilt for the `tokenizers` library."""

from typing import Any

from policy.errors import WeightsError
from policy.weights.gguf_file import GgufFile
from policy.weights.packages import needed

_CONTROL, _USER_DEFINED = 3, 4
"""Types of tokens that are found whole in a text; the first kind is special."""
_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|%s"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""How a text is cut before pairs are merged; the families differ in how many digits stay together."""
_CUTS = {"qwen2": _WORDS % r"\p{N}", "llama-bpe": _WORDS % r"\p{N}{1,3}"}


def tokenizer_of(file: GgufFile) -> Any:
    """A `tokenizers.Tokenizer`; WeightsError when the file describes a kind that is not known."""
    tokenizers = needed("tokenizers")
    kind, cut = file.value("tokenizer.ggml.model"), file.value("tokenizer.ggml.pre", "unknown")
    if kind != "gpt2" or cut not in (*_CUTS, "smollm"):
        raise WeightsError(
            f"{file.where}: a tokenizer of kind {kind!r}, {cut!r} is not known; "
            f"use the model's Hugging Face folder, which has tokenizer.json"
        )
    try:
        return _built(file, tokenizers, cut)
    except WeightsError:
        raise
    except Exception as error:  # the library raises nothing narrower; words and merges may be anything
        raise WeightsError(
            f"{file.where}: its tokenizer cannot be built ({error}); download it again"
        ) from error


def _built(file: GgufFile, tokenizers: Any, cut: str) -> Any:
    tokens = file.value("tokenizer.ggml.tokens")
    merges = [tuple(merge.split(" ", 1)) for merge in file.value("tokenizer.ggml.merges")]
    made = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            vocab={token: number for number, token in enumerate(tokens)},
            merges=merges,
            ignore_merges=cut == "llama-bpe",
        )
    )
    if cut == "qwen2":
        made.normalizer = tokenizers.normalizers.NFC()
    made.pre_tokenizer = _cutter(tokenizers, cut)
    made.decoder = tokenizers.decoders.ByteLevel()
    types = file.value("tokenizer.ggml.token_type")
    whole = [
        tokenizers.AddedToken(token, special=kind == _CONTROL, normalized=False)
        for token, kind in zip(tokens, types, strict=True)
        if kind in (_CONTROL, _USER_DEFINED)
    ]
    made.add_tokens(whole)
    return made


def _cutter(tokenizers: Any, cut: str) -> Any:
    cutters = tokenizers.pre_tokenizers
    if cut == "smollm":
        first, bytes_too = cutters.Digits(individual_digits=True), True
    else:
        first, bytes_too = cutters.Split(tokenizers.Regex(_CUTS[cut]), behavior="isolated"), False
    return cutters.Sequence([first, cutters.ByteLevel(add_prefix_space=False, use_regex=bytes_too)])
