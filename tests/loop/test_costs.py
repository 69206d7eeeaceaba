"""A dry run shows what is really used, counts what is really done, and guesses no time for the unmeasured."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from analysis.run_result import PLAN, Made
from loop.config import Config
from loop.costs import costs, parameters, render
from loop.loading import load
from loop.reporting.pace import guesses, size
from loop.reporting.progress import Estimate, PlainProgress
from loop.resuming.steps import steps_of
from loop.run import main
from loop.sweep import progress as measured
from loop.sweep.dry_run import dry_run
from loop.sweep.places import Places
from loop.sweep.plan import plan_of
from loop.sweep.runs import read_sweep
from loop.worlds.splits import places as places_of
from planet.identity import canonical_json
from tests.analysis.simulated_sweep import simulated_result
from tests.loop.sweeps import write_sweep

EXPERIMENTS = Path("experiments")
CLOSED_LOOP = EXPERIMENTS / "closed_loop.yaml"


def line(config: Config, start: str) -> str:
    """The line of the costs that begins with a word."""
    (found,) = [each for each in render(config) if each.startswith(start)]
    return found


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, dict[str, Any]]:
    """(configuration as text, as a tree) of a dry run."""
    assert main([*words, "--dry-run"]) == 0
    text = capsys.readouterr().out.partition("\n\n")[0]
    return text, yaml.safe_load(text)


@pytest.mark.parametrize(("algorithm", "other"), [("grpo", "sao"), ("sao", "grpo")])
def test_a_dry_run_shows_the_algorithm_in_use_and_no_other(
    algorithm: str, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = printed(capsys, str(CLOSED_LOOP), f"policy.algorithm={algorithm}")[1]["policy"]
    assert policy["algorithm"] == algorithm and other not in policy
    assert policy[algorithm]["optimizer"]["name"] == "muon"


def test_a_dry_run_leaves_no_default_out(capsys: pytest.CaptureFixture[str]) -> None:
    tree = printed(capsys, str(CLOSED_LOOP))[1]
    policy = tree["policy"]
    assert policy["mesh"] == {"data": 1, "fsdp": 1, "tensor": 1}
    assert (policy["decoder"]["remat"], policy["decoder"]["compute"]) == (False, "float32")
    assert tree["asynchronous"] is None and tree["replica"] == 0
    assert set(tree) == set(Config.model_fields)


def test_a_dry_run_refuses_parts_that_the_run_would_refuse(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(CLOSED_LOOP), "curriculum.sampler={type: sfl, floor: 2}", "--dry-run"]) == 2
    said = "curriculum.sampler: 'sfl' refused its parameters: floor=2 is outside [0, 1]; change them\n"
    assert capsys.readouterr().err.endswith(said)


@pytest.mark.parametrize("name", ["closed_loop", "sao", "asynchronous", "agentmercury_4b", "api_policy"])
def test_what_a_dry_run_prints_is_the_run_it_is_printed_of(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, _ = printed(capsys, str(EXPERIMENTS / f"{name}.yaml"))
    (tmp_path / "again.yaml").write_text(text)
    # What SAO leaves unused, `grpo`, has its decay from the main job there, and is not printed.
    overrides = ("policy.grpo.decay_updates=66",) if name == "sao" else ()
    assert load(tmp_path / "again.yaml", overrides).run_id == load(EXPERIMENTS / f"{name}.yaml").run_id


def test_a_dry_run_refuses_a_decoder_without_a_row_for_every_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "policy.decoder.vocabulary_rows=256 is less than the 646 ids of the vocabulary; give 1024\n"
    for words in (["--dry-run"], ["--run-dir", f"{tmp_path}/run", f"cache={tmp_path}"]):
        assert main([str(EXPERIMENTS / "micro.yaml"), "policy.decoder=micro", *words]) == 2
        assert capsys.readouterr().err == said
    assert not (tmp_path / "run").exists()


def test_groups_of_one_are_never_played_again() -> None:
    # 66 updates x 16 prompts x 8, each group once more; 66 x 128 x 1, none.
    assert costs(load(CLOSED_LOOP)).train_episodes == (8_448, 16_896)
    single = costs(load(EXPERIMENTS / "sao.yaml"))
    assert single.train_episodes == (8_448, 8_448)
    # 8,448 + 960 + 1,320 episodes of 8 turns at most.
    assert single.env_steps[1] == 8 * 10_728
    assert " 8,448 in training" in line(load(EXPERIMENTS / "sao.yaml"), "episodes")


def test_groups_of_one_may_be_played_again_by_another_gate_or_for_their_age() -> None:
    for change in ("curriculum.gate=own:Gate", "asynchronous={}"):
        assert costs(load(EXPERIMENTS / "sao.yaml", (change,))).train_episodes == (8_448, 16_896)


def test_a_model_behind_an_interface_is_not_asked_the_second_test_again() -> None:
    file = EXPERIMENTS / "api_policy.yaml"
    # Two tests of 18 worlds x 10 tasks x 3; 60 of validation and 240 of diagnosis: 840, of 5 requests each.
    assert "about 4,200 requests" in line(load(file), "policy")
    assert "240 in diagnosis, 1,140 in evaluation, of which the 540 of the second test" in line(
        load(file), "episodes"
    )
    # Without kept answers all 1,380 are asked for.
    assert "about 6,900 requests" in line(load(file, ("learner.answers=null",)), "policy")
    assert "second test" not in line(load(CLOSED_LOOP, ("iterations=0",)), "episodes")


def test_the_main_job_is_guessed_at_what_it_took() -> None:
    # Measured: 3 min 45 s to 4 min 6 s. 516 worlds x 0.045 + (5 + 160 x 0.2) + 66 x 128 x 0.016
    # + (240 + 960 + 1,080) x 0.0135 + 3 x 48 x 0.11 = 23.2 + 37 + 135.2 + 30.8 + 15.8
    assert costs(load(CLOSED_LOOP)).seconds == pytest.approx(242.0, abs=0.1)
    assert line(load(CLOSED_LOOP), "time") == "time       about 4 min 02 s on two CPU cores"


def test_a_guess_grows_with_what_the_decoder_computes() -> None:
    tiny, small = load(CLOSED_LOOP), load(CLOSED_LOOP, ("policy.decoder=small",))
    assert size(tiny) == 1.0
    assert size(small) == pytest.approx(parameters(small) / parameters(tiny)) and 7 < size(small) < 8
    before, after = guesses(tiny), guesses(small)
    assert before is not None and after is not None
    assert after["worlds"] == before["worlds"] and after["grow"] == before["grow"]
    assert after["warm_start"] - 5 == pytest.approx((before["warm_start"] - 5) * size(small))
    # 128 episodes: 7.5 ms each whatever plays, and 6 + 2.5 ms of the decoder
    assert after["update"] == pytest.approx(128 * (0.0075 + 0.0085 * size(small)))


def test_the_last_diagnosis_is_guessed_without_the_further_probes_of_the_others() -> None:
    more, plain = costs(load(EXPERIMENTS / "oracle.yaml")).seconds, costs(load(CLOSED_LOOP)).seconds
    assert more is not None and plain is not None
    # Three of four diagnoses with 50 times the 240 episodes beside them, 13.5 ms each
    assert more - plain == pytest.approx(3 * 50 * 240 * 0.0135)


def test_nothing_is_guessed_for_a_decoder_far_from_any_measured_one() -> None:
    config = load(CLOSED_LOOP, ("policy.decoder=qwen3-4b",))
    # 4,022,468,096 / 869,632 = 4,625.5
    assert costs(config).seconds is None
    assert line(config, "time").startswith("time       no estimate for this decoder, which is 4,625 times")
    steps = steps_of(config)
    estimate = Estimate(config)
    assert estimate.left(steps) is None
    estimate.took("worlds", 3.0)
    assert estimate.left(steps[:1]) == 3.0 and estimate.left(steps) is None


def test_a_run_without_an_estimate_says_where_it_is_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    config = load(CLOSED_LOOP, ("policy.decoder=qwen3-4b",))
    steps = steps_of(config)
    plain = PlainProgress(config)
    plain.start(steps, 0)
    plain.begin(steps[0])
    assert capsys.readouterr().out == f"[1/{len(steps)}] building the worlds\n"


def other_sweep(file: Path, places: Places, *overrides: str) -> None:
    """A finished run of closed_loop, of 100 s, in a sweep beside that of some places."""
    folder = places.results.parent / "other"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PLAN).write_text(canonical_json(plan_of(read_sweep(file, overrides))))
    result = simulated_result("closed_loop", 10).model_copy(
        update={"made": Made(commit=None, seconds=100.0, seconds_by_kind={})}
    )
    (folder / "closed_loop-s10.json").write_text(result.model_dump_json())


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ((), "1 min 40 s measured"),
        (("overrides.growth.quota=2",), "1 min 40 s measured"),
        (("overrides.policy.decoder.layers=2",), "guessed"),
        (("overrides.policy.algorithm=sao",), "guessed"),
        (("overrides.updates_per_iteration=3",), "guessed"),
        (("overrides.learner=own:Learner",), "guessed"),
    ],
)
def test_only_runs_of_an_equal_policy_count_as_measured(
    there: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    file, places = write_sweep(tmp_path), Places(tmp_path / "runs", tmp_path / "results" / "tiny")
    other_sweep(file, places, *there)
    (row,) = [each for each in dry_run(read_sweep(file), places, 1) if each.startswith("closed_loop")]
    assert told in row


def test_a_sweep_of_a_large_decoder_tells_no_time(tmp_path: Path) -> None:
    file = write_sweep(tmp_path)
    change = ("overrides.policy.decoder=qwen3-4b", "overrides.learner=decoder")
    lines = dry_run(read_sweep(file, change), Places(tmp_path / "runs", tmp_path / "results"), 1)
    assert "time       no estimate for this decoder" in lines
    assert all("no estimate for this decoder" in each for each in lines[1:3])


def test_a_sweep_of_a_decoder_without_a_row_for_every_word_is_refused_by_its_dry_run(tmp_path: Path) -> None:
    file = write_sweep(tmp_path)
    change = ("overrides.policy.decoder=micro", "overrides.learner=decoder")
    with pytest.raises(Exception, match="vocabulary_rows=256 is less than the 646 ids"):
        dry_run(read_sweep(file, change), Places(tmp_path / "runs", tmp_path / "results"), 1)


def test_files_of_other_sweeps_that_do_not_read_are_no_help_and_no_harm(tmp_path: Path) -> None:
    file = write_sweep(tmp_path)
    places = Places(tmp_path / "runs", tmp_path / "results" / "tiny")
    for name, text in (("cut", '{"arms": {"sta'), ("older", "{}")):
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        (folder / "plan.json").write_text(text)
    sweep = read_sweep(file)
    other_sweep(file, places)
    (tmp_path / "results" / "other" / "static-s10.json").write_text("{}")
    assert measured.Estimate(sweep, places).measured(sweep.arms[0]) == []


def test_worlds_are_counted_as_they_are_made() -> None:
    config, unreserved = load(CLOSED_LOOP), load(CLOSED_LOOP, ("splits.reserved_pairs=0",))
    assert costs(unreserved).worlds[0] == costs(config).worlds[0] - config.splits.test_reserved
    assert costs(unreserved).worlds[0] == len(places_of(unreserved))
    for name in ("task_scaling", "loop.curricula.growers.task_scaling:TaskScalingGrower"):
        before, after = costs(load(CLOSED_LOOP, (f"curriculum.grower={name}",))).worlds
        assert before == after
    fixed, looped = (load(EXPERIMENTS / f"{name}.yaml") for name in ("static", "closed_loop"))
    assert (costs(fixed).seconds or 0) < (costs(looped).seconds or 0)


@pytest.mark.parametrize(
    ("changes", "more"),
    [
        (("policy.grpo.optimizer.name=adam",), 3 * (128 * 64 * 12 + 3 * 128 * 384)),  # of matrices in blocks
        (("policy.grpo.kl=0.1",), 869_632),
        # The critic, and two moments of what is not its attention: 3 x (128 x 64 x 12 + 2 x 64) are.
        (("policy.algorithm=sao", "prompts_per_update=128"), 869_632 + 2 * (869_632 - 3 * 98_432)),
    ],
)
def test_the_disk_holds_all_that_a_checkpoint_does(changes: tuple[str, ...], more: int) -> None:
    # Checkpoints of the warm start, of three iterations and the newest three, 4 bytes a value.
    found = costs(load(CLOSED_LOOP, changes)).disk_bytes - costs(load(CLOSED_LOOP)).disk_bytes
    assert found == 7 * 4 * more


def test_a_model_behind_an_interface_stores_no_weights() -> None:
    file = EXPERIMENTS / "api_policy.yaml"
    large = load(file, ("policy.decoder=small",))
    assert costs(large).disk_bytes == costs(load(file)).disk_bytes


def test_a_dry_run_is_free_of_jax() -> None:
    code = "import sys\nfrom loop.run import main\nmain(sys.argv[1:])\nassert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code, str(CLOSED_LOOP), "--dry-run"], check=True)
