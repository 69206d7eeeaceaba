"""TRL's side of `benchmarks.grpo`: its `GRPOTrainer` on a Qwen3 of the same shape with random weights.

A word is a token and a token a word. The word that ends a turn is one that the decoder has no row for, so
that every episode is as long as the work says. What `--set` gives overrides `SETTINGS`.
"""

import sys
import tempfile
import time
from typing import Any

from benchmarks.grpo_work import (
    CLIP_HIGH,
    CLIP_LOW,
    CLIP_NORM,
    LEARNING_RATE,
    TEMPERATURE,
    Work,
    prompt,
    reward,
)
from benchmarks.sides import Figures, SideError, answer, needed, peak_memory

SETTINGS: dict[str, Any] = {
    "use_cpu": True,
    "bf16": False,
    "fp16": False,
    "learning_rate": LEARNING_RATE,
    "lr_scheduler_type": "constant",
    "weight_decay": 0.0,
    "max_grad_norm": CLIP_NORM,
    "optim": "adamw_torch_fused",
    "temperature": TEMPERATURE,
    "beta": 0.0,
    "epsilon": CLIP_LOW,
    "epsilon_high": CLIP_HIGH,
    "loss_type": "grpo",
    "scale_rewards": "group",
    "num_iterations": 1,
    "gradient_checkpointing": False,
    "dataloader_num_workers": 0,
    "dataloader_pin_memory": False,
    "disable_tqdm": True,
    "report_to": "none",
    "save_strategy": "no",
    "logging_strategy": "no",
    "seed": 0,
}
"""Of `GRPOConfig`: the work's, and what is fastest on a CPU."""


def measure(given: Figures) -> Figures:
    """Figures of a work: seconds of every timed update, whole and in its two parts."""
    torch = needed("torch")
    changes, micro = given.pop("settings"), given.pop("micro_batch")
    work = Work(**given)
    torch.set_num_threads(work.threads)
    torch.manual_seed(0)
    settings = {**_batches(work, micro), **SETTINGS, **changes}
    clock = Clock()
    with tempfile.TemporaryDirectory(prefix="benchmark-trl-") as folder:
        trainer = trainer_of(work, settings, folder, clock)
        before = peak_memory()
        trainer.train()
    seconds = [end - start for start, end in zip(clock.ends, clock.ends[1:], strict=False)]
    generating = clock.generating[work.warm :]
    return {
        "seconds": seconds[work.warm :],
        "generating": generating,
        "updating": [a - b for a, b in zip(seconds[work.warm :], generating, strict=True)],
        "memory_before": before,
        "memory": peak_memory(),
        "counts": clock.counts,
        "settings": {**_versions(), **_model(trainer.model), "threads": torch.get_num_threads(), **settings},
    }


class Clock:
    """When things happened, in seconds, and how many tokens the last update had."""

    def __init__(self) -> None:
        self.ends: list[float] = []  # of updates, the beginning first
        self.generating: list[float] = []
        self.counts = {"read": 0, "said": 0}

    def rewards(self, prompts: list[str], completion_ids: list[list[int]], **_: Any) -> list[float]:
        """Count and score episodes."""
        self.counts["read"] = sum(len(text.split()) for text in prompts)
        self.counts["said"] = sum(map(len, completion_ids))
        return [reward(ids) for ids in completion_ids]


def trainer_of(work: Work, settings: dict[str, Any], folder: str, clock: Clock) -> Any:
    """TRL's trainer, which tells the clock when sampling and when an update is over."""
    transformers, trl = needed("transformers"), needed("trl")
    datasets = needed("datasets")

    class Timed(trl.GRPOTrainer):  # type: ignore[name-defined, misc]
        """Notes how long the sampling half of an update takes."""

        def _generate_and_score_completions(self, inputs: Any) -> Any:
            began = time.perf_counter()
            made = super()._generate_and_score_completions(inputs)
            clock.generating.append(time.perf_counter() - began)
            return made

    class Ends(transformers.TrainerCallback):  # type: ignore[name-defined, misc]
        """Notes when updates end."""

        def on_train_begin(self, *_: Any, **__: Any) -> None:
            clock.ends.append(time.perf_counter())

        def on_step_end(self, *_: Any, **__: Any) -> None:
            clock.ends.append(time.perf_counter())

    try:
        config = trl.GRPOConfig(output_dir=folder, **settings)
    except (TypeError, ValueError) as error:
        raise SideError(f"GRPOConfig refuses its settings: {error}; change --set or --micro-batch") from error
    tasks = [{"prompt": text_of(work, number)} for number in range(work.prompts)]
    return Timed(
        model=decoder_of(work, transformers),
        reward_funcs=clock.rewards,
        args=config,
        train_dataset=datasets.Dataset.from_list(tasks),
        processing_class=words_of(work),
        callbacks=[Ends()],
    )


def _versions() -> dict[str, str]:
    names = ("trl", "transformers", "torch", "accelerate")
    return {name: needed(name).__version__ for name in names}


def _model(model: Any) -> dict[str, Any]:
    return {
        "attention": model.config._attn_implementation,
        "dtype": str(model.dtype),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
    }


def _batches(work: Work, micro: int) -> dict[str, Any]:
    """Settings that say how much is done at once: all episodes are sampled together."""
    return {
        "per_device_train_batch_size": micro,
        "gradient_accumulation_steps": work.episodes // micro,
        "num_generations": work.group,
        "max_completion_length": work.said,
        "max_steps": work.warm + work.repeat,
    }


def text_of(work: Work, number: int) -> str:
    """A task in words."""
    return " ".join(f"w{token}" for token in prompt(work, number))


def words_of(work: Work) -> Any:
    """A tokenizer of as many words as the decoder has rows, and one that ends turns."""
    tokenizers, transformers = needed("tokenizers"), needed("transformers")
    vocabulary = {**{f"w{n}": n for n in range(work.rows)}, "<end>": work.rows}
    model = tokenizers.models.WordLevel(vocabulary, unk_token="w0")
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<end>", pad_token="w0")


def decoder_of(work: Work, transformers: Any) -> Any:
    """A Qwen3 of the work's shape, random, float32."""
    config = transformers.Qwen3Config(
        vocab_size=work.rows,
        hidden_size=work.width,
        intermediate_size=work.hidden,
        num_hidden_layers=work.layers,
        num_attention_heads=work.heads,
        num_key_value_heads=work.kv_heads,
        head_dim=work.head_width,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
        attn_implementation="sdpa",
        use_cache=True,
        bos_token_id=None,
        eos_token_id=None,
        dtype="float32",
    )
    return transformers.Qwen3ForCausalLM(config)


if __name__ == "__main__":
    raise SystemExit(answer(measure, sys.argv[1:]))
