"""llama.cpp's side of `benchmarks.decoding`: its server within the process, through the package xllamacpp.

A slot keeps what it has read. Each batch is asked for once before the clock starts, so that what is timed
reads one token of every prompt, which is what gives the first new token, and decodes.
"""

import sys
import time
from typing import Any

from benchmarks.decoding_work import Work
from benchmarks.sides import Figures, SideError, answer, needed, peak_memory


def measure(given: Figures) -> Figures:
    """Figures of a work: per batch the seconds of every measurement and what was said."""
    llama = needed("xllamacpp")
    work = Work(**given)
    settings = settings_of(work)
    server = llama.Server(_parameters(llama, settings))
    seconds, said = {}, {}
    for batch in work.batches:
        seconds[str(batch)], said[str(batch)] = timed(server, work, batch)
    versions = {"xllamacpp": llama.__version__, "system": str(llama.get_system_info())}
    return {
        "seconds": seconds,
        "said": said,
        "memory": peak_memory(),
        "settings": {**versions, **settings},
    }


def settings_of(work: Work) -> dict[str, Any]:
    """Of `CommonParams`: a slot for every prompt, room for its tokens, all threads, and no second cache."""
    slots = max(work.batches)
    room = -(-(len(work.prompts[0]) + work.new + 1) // 256) * 256  # a slot's share is rounded up to this
    return {
        "model.path": work.weights,
        "n_parallel": slots,
        "n_ctx": slots * room,
        "n_gpu_layers": 0,
        "fit_params": False,
        "cache_ram_mib": 0,
        "cpuparams.n_threads": work.threads,
        "cpuparams_batch.n_threads": work.threads,
        "verbosity": -1,
    }


def _parameters(llama: Any, settings: dict[str, Any]) -> Any:
    made = llama.CommonParams()
    for name, value in settings.items():
        *path, last = name.split(".")
        at = made
        for part in path:
            at = getattr(at, part)
        setattr(at, last, value)
    return made


def timed(server: Any, work: Work, batch: int) -> tuple[list[float], list[str]]:
    """Seconds of completions after one that reads the prompts, and what the last of them said."""
    seconds, said = [], []
    for _ in range(work.repeat + 1):
        began = time.perf_counter()
        said = continued(server, work.prompts[:batch], work.new)
        seconds.append(time.perf_counter() - began)
    return seconds[1:], said


def continued(server: Any, prompts: list[list[int]], new: int) -> list[str]:
    """What the server says after each prompt, greedily and at full length."""
    asked = {"prompt": prompts, "max_tokens": new, "temperature": 0, "ignore_eos": True, "cache_prompt": True}
    told = server.handle_completions(asked)
    if not isinstance(told, dict) or "choices" not in told:
        raise SideError(
            f"llama.cpp answers {told!s:.200}; take a version of xllamacpp that docs/speed.md names"
        )
    if told["usage"]["completion_tokens"] != new:
        raise SideError(f"llama.cpp sampled {told['usage']['completion_tokens']} tokens instead of {new}")
    choices = sorted(told["choices"], key=lambda choice: choice["index"])
    if len(choices) != len(prompts):
        raise SideError(f"llama.cpp continued {len(choices)} prompts of {len(prompts)}")
    return [choice["text"] for choice in choices]


if __name__ == "__main__":
    raise SystemExit(answer(measure, sys.argv[1:]))
