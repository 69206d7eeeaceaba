"""A small language model on disk, for tests: a tokenizer, two families of chat templates, random weights.

The templates are written for the tests in the manner of the two families: one has tools in a system message
and calls within <tool_call>, the other has tools in the first user message and calls as bare JSON.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jax
import numpy as np

from policy.config import DecoderConfig
from policy.decoder import Params, parameters
from policy.weights.saving import save

MARKED = """\
{%- if tools %}
<|im_start|>system
{{ messages[0].content if messages[0].role == 'system' else 'You help.' }}
Tools:
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}
Calls: <tool_call>{"name": ..., "arguments": ...}</tool_call><|im_end|>
{% elif messages[0].role == 'system' %}
<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}
{% for message in messages %}
{% if message.role == 'tool' %}
<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% elif message.role == 'assistant' and message.tool_calls %}
<|im_start|>assistant
{% for call in message.tool_calls %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% elif message.role != 'system' %}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% if enable_thinking is defined and not enable_thinking %}<think>

</think>

{% endif %}{% endif %}
"""
"""Tools and marks, as in the Qwen3 family."""

BARE = """\
{{ bos_token }}
{%- for message in messages %}
{%- if message.role == 'tool' %}{% set role = 'ipython' %}{% else %}{% set role = message.role %}{% endif %}
<|start|>{{ role }}<|stop|>

{% if message.role == 'user' and loop.index0 <= 1 and tools %}
{% for tool in tools %}{{ tool | tojson(indent=2) }}

{% endfor %}
{% endif %}
{% if message.tool_calls %}
{% set call = message.tool_calls[0].function %}
{"name": "{{ call.name }}", "parameters": {{ call.arguments | tojson }}}
{%- else %}{{ message.content | trim }}{% endif %}<|im_end|>
{%- endfor %}
{%- if add_generation_prompt %}<|start|>assistant<|stop|>

{% endif %}
"""
"""Tools with the first question and calls as an object with parameters, as in the Llama 3 family."""

PLAIN = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] }}"
    "{{ '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
"""No word of tools."""

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|start|>", "<|stop|>")
ROWS = 520
"""Rows of the embedding, a few more than there are tokens."""
SHAPE: dict[str, Any] = {
    "width": 32,
    "layers": 2,
    "heads": 4,
    "kv_heads": 2,
    "head_width": 16,
    "hidden": 64,
    "vocabulary_rows": ROWS,
    "copying_start": False,
    "scaled_embedding": False,
}
QWEN = DecoderConfig(**SHAPE, tied=False, rope_base=1e6)
LLAMA = DecoderConfig(**SHAPE, qk_norm=False, rope_base=1e5, norm_epsilon=1e-5)


@cache
def tokenizer_json() -> str:
    """A byte-level BPE of 512 tokens, trained on words of the templates and of tools."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    words = [
        MARKED,
        BARE,
        "search_customer get_customer update_customer search_ticket get_ticket update_ticket",
    ]
    words += [
        '{"name": "get_ticket", "arguments": {"id": "TIC-0001", "filters": [{"column": "status"}]}}'
    ] * 3
    trainer = trainers.BpeTrainer(
        vocab_size=512 - len(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(words, trainer)
    made.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    return str(made.to_str())


def speech(template: str = MARKED) -> dict[str, str]:
    """The files of a folder that make a model speak."""
    told = {"chat_template": template, "eos_token": "<|im_end|>", "bos_token": {"content": "<|endoftext|>"}}
    return {"tokenizer.json": tokenizer_json(), "tokenizer_config.json": json.dumps(told)}


def random_params(config: DecoderConfig, seed: int = 0) -> Params:
    """Parameters in which no norm is all ones, so that a norm left out is seen."""
    fresh = parameters(config, seed)
    rng = np.random.default_rng(seed)
    return jax.tree.map(
        lambda leaf: leaf if leaf.ndim > 1 else leaf * rng.uniform(0.5, 1.5, leaf.shape).astype(np.float32),
        fresh,
    )


def write_folder(folder: Path, config: DecoderConfig = QWEN, template: str = MARKED) -> Path:
    """A whole Hugging Face folder with random weights."""
    return save(folder, config, random_params(config), speech(template))
