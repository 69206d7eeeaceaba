"""Both trainers do the work that they are given, and the table says what was measured."""

import importlib.util
import json

import pytest

from benchmarks import grpo, grpo_ours, grpo_trl
from benchmarks.grpo_work import Work, prompt, reward
from benchmarks.sides import SideError
from policy.config import PRESETS
from policy.decoder import count, parameters

WORK = Work(
    width=32, layers=2, heads=2, kv_heads=1, head_width=16, hidden=64, rows=256, prompts=2, group=4, read=10,
    said=6, warm=1, repeat=2, threads=2,
)  # fmt: skip


def figures(seconds: list[float], generating: list[float], memory: int, **more: object) -> dict:
    updating = [a - b for a, b in zip(seconds, generating, strict=True)]
    return {
        "seconds": seconds, "generating": generating, "updating": updating, "memory": memory << 20,
        "memory_before": 100 << 20, "counts": WORK.wanted, "settings": {}, **more,
    }  # fmt: skip


def cells(line: str) -> list[str]:
    return line.split()[:4]


def test_here_every_episode_has_the_tokens_that_the_work_says() -> None:
    found = grpo_ours.measure(WORK._asdict())
    assert found["counts"] == {"read": 80, "said": 48}  # 2 prompts x 4 episodes x 10 and 6 tokens
    assert len(found["seconds"]) == 2 and all(
        whole == pytest.approx(a + b)
        for whole, a, b in zip(found["seconds"], found["generating"], found["updating"], strict=True)
    )
    assert found["settings"]["parameters"] == count(parameters(PRESETS["micro"], 0))
    assert json.loads(json.dumps(found)) == found


def test_an_update_here_changes_the_policy() -> None:
    import jax
    import numpy as np

    loop = grpo_ours.Loop(WORK, grpo_ours.policy_of(WORK))
    before = [np.asarray(leaf).copy() for leaf in jax.tree.leaves(loop.state.params)]
    loop.learn(loop.play(0))
    after = jax.tree.leaves(loop.state.params)
    assert any(not np.array_equal(a, b) for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize(
    ("read", "said", "context", "width"),
    [
        (40, 40, 128, 240),  # three episodes of 80, and 3 x 80 > 128
        (88, 40, 128, 256),  # an episode fills the context
        (100, 60, 256, 320),  # one of 160 would be narrower than the context
        (128, 40, 256, 336),
        (100, 30, 256, 260),
        (200, 100, 384, 600),
    ],
)
def test_any_length_makes_a_policy_whose_rows_hold_whole_episodes(
    read: int, said: int, context: int, width: int
) -> None:
    config = grpo_ours.policy_of(WORK._replace(read=read, said=said))
    assert (config.rollout.context, config.packing.width) == (context, width)


def test_episodes_longer_than_half_a_context_are_played_and_learned_from() -> None:
    found = grpo_ours.measure(WORK._replace(read=100, said=30, repeat=1)._asdict())
    assert found["counts"] == {"read": 800, "said": 240}  # 8 episodes of 100 and 30


def test_a_shape_that_no_decoder_has_is_told_without_the_words_of_a_library() -> None:
    with pytest.raises(SideError, match=r"^the work makes no policy: heads=3 [^\n]*$"):
        grpo_ours.policy_of(WORK._replace(heads=3, kv_heads=2))


def test_tasks_differ_and_their_tokens_are_rows_of_the_vocabulary() -> None:
    tasks = [tuple(prompt(WORK, number)) for number in range(16)]
    assert len(set(tasks)) == 16
    assert {len(ids) for ids in tasks} == {10} and all(0 <= token < 256 for ids in tasks for token in ids)


def test_the_reward_is_the_share_of_even_tokens() -> None:
    assert reward([2, 3, 4, 4]) == 0.75


def test_the_table_takes_the_fastest_update_of_all_rounds_and_the_fastest_settings_of_the_other() -> None:
    found = {
        "here": [figures([2.0, 4.0], [0.5, 2.0], 300), figures([1.0, 3.0], [0.75, 1.5], 200)],
        "TRL/8": [figures([8.0, 5.0], [2.0, 3.0], 900)] * 2,
        "TRL/4": [figures([6.0, 4.0], [2.0, 3.0], 700)] * 2,
    }
    told = grpo.report(WORK, found)
    assert told[0].startswith(
        "2 prompts x 4, 10 tokens read and 6 said each, float32, 2 threads, fastest of 2"
    )
    assert told[1].split() == ["here", "TRL/4", "ratio"]
    assert cells(told[2]) == ["episodes_per_s", "8", "2", "4.00"]  # 8 episodes / 1 s, / 4 s
    assert cells(told[3]) == ["sampled_per_s", "64", "16", "4.00"]  # 48 tokens / 0.75 s, / 3 s
    assert cells(told[4]) == ["update_ms", "250", "1,000", "0.25"]  # 1 - 0.75, 4 - 3
    assert cells(told[5]) == ["memory_mib", "300", "700", "0.43"]  # the most of both rounds
    assert cells(told[6]) == ["memory_added_mib", "200", "600", "0.33"]
    assert told[7] == "tried      TRL/8: 1.6 episodes/s; TRL/4: 2.0 episodes/s"  # 8 / 5, 8 / 4


def test_another_number_of_tokens_is_another_work() -> None:
    found = {
        "here": [figures([1.0], [0.5], 1)],
        "TRL/8": [figures([1.0], [0.5], 1, counts={"read": 80, "said": 47})],
    }
    with pytest.raises(SideError, match=r"TRL/8 counted \{'read': 80, 'said': 47\} tokens instead of"):
        grpo.report(WORK, found)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--group", "1"], "compares at least 2 episodes"),
        (["--micro-batch", "7"], "7 does not divide 128 episodes"),
        (["--set", "torch_compile"], "write e.g. torch_compile=true"),
        (["--rounds", "0"], "'0' is no whole number of 1 or more"),
        (["--json", "/none/f.json"], "'/none/f.json' is no place for a file"),
    ],
)
def test_a_work_that_makes_no_sense_is_refused_in_one_line(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        grpo.main(words)
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


def test_settings_of_the_other_are_json_or_text() -> None:
    read = grpo.settings_from(grpo.parser("grpo", None), ["torch_compile=true", "optim=sgd", "seed=3"])
    assert read == {"torch_compile": True, "optim": "sgd", "seed": 3}


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is not None, reason="needs an interpreter without torch"
)
def test_without_the_other_program_its_side_says_how_to_get_it() -> None:
    with pytest.raises(SideError, match="has no package torch; install the extra `peers`"):
        grpo_trl.measure({**WORK._asdict(), "micro_batch": 8, "settings": {}})


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("trl") is None, reason="needs the extra `peers` (docs/speed.md)")
def test_there_every_episode_has_the_tokens_that_the_work_says() -> None:
    found = grpo_trl.measure({**WORK._asdict(), "micro_batch": 4, "settings": {}})
    assert found["counts"] == WORK.wanted and len(found["seconds"]) == 2
    assert found["settings"]["parameters"] == count(parameters(PRESETS["micro"], 0))
    assert found["settings"]["dtype"] == "torch.float32"
