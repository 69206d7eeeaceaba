"""`python -m loop.memory_plan` says what fits and what to change; presets may be changed in place."""

import re
import shlex
from pathlib import Path

import pytest

from loop.costs import render
from loop.errors import ConfigError
from loop.loading import load
from loop.memory_plan import gib, main, memory, most, plans
from policy.memory_plan import plan
from policy.playing_memory import playing

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
LARGE = EXPERIMENTS / "agentmercury_4b.yaml"


@pytest.mark.parametrize(
    ("text", "count"),
    [("16GiB", 16 * 1024**3), ("80 GB", 80 * 10**9), ("1.5M", 1_500_000), ("2KiB", 2048), ("500", 500)],
)
def test_amounts_of_memory_are_read(text: str, count: int) -> None:
    assert memory(text) == count


def test_bytes_are_told_in_as_many_digits_as_matter() -> None:
    # 2**30 x 19.04; half of it; a thousandth of it
    assert [gib(int(2**30 * value)) for value in (19.04, 0.52, 0.001)] == ["19.0", "0.52", "0.0010"]


@pytest.mark.parametrize(
    "words",
    [
        ("--device-memory", "much"),
        ("--devices", "0"),
        ("--device-memory", "0GB"),
        ("--device-memory", "9" * 400),
    ],
)
def test_an_amount_that_is_none_is_refused(
    words: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([str(LARGE), *words])
    assert stopped.value.code == 2
    assert repr(words[1])[:30] in capsys.readouterr().err


def test_what_fits_is_told_with_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(EXPERIMENTS / "closed_loop.yaml"), "--device-memory", "16GiB"]) == 0
    said = capsys.readouterr().out
    assert re.search(
        r"^fits with a tenth free: [\d.]+ GiB of 16\.0 GiB on each of 1 device ", said, re.MULTILINE
    )
    assert re.search(r"^parameters( +0\.00\d+){3}$", said, re.MULTILINE)


def test_what_does_not_fit_is_told_with_what_to_change_and_exit_code_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([str(LARGE), "policy.mesh.fsdp=1", "--device-memory", "16GiB"]) == 1
    said = capsys.readouterr().out
    assert "does not fit: " in said
    assert re.search(
        r"^change: .*policy\.mesh\.fsdp=\d+.*, then it fits with a tenth free$", said, re.MULTILINE
    )


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    main([str(word) for word in words])
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (LARGE, ("policy.mesh.fsdp=1",)),  # slots, buckets, rows and mesh
        (LARGE, ()),
        (EXPERIMENTS / "closed_loop.yaml", ("policy.decoder=qwen3-0.6b", "policy.rollout.context=2048",
                                            "policy.packing.width=2048")),
        (EXPERIMENTS / "asynchronous.yaml", ("asynchronous.rollout_devices=2", "policy.decoder=qwen3-1.7b")),
    ],
)  # fmt: skip
def test_what_is_printed_as_a_change_is_accepted_as_printed(
    file: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    found = re.search(
        r"^change: (.*); ([\d.]+) GiB, then it fits with a tenth free$",
        told(capsys, str(file), *words, "--device-memory", "16GiB"),
        re.MULTILINE,
    )
    assert found
    config = load(file, (*words, *shlex.split(found[1])))
    assert gib(most(config).total) == found[2]


@pytest.mark.parametrize("count", ["8", "24", "32"])
def test_the_mesh_that_is_printed_is_accepted_as_printed(
    count: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = told(capsys, str(LARGE), "--device-memory", "24GiB", "--devices", count)
    found = re.search(r"with \d+ devices: (policy: .*) takes ([\d.]+) GiB of each, and fits", said)
    assert found
    (tmp_path / "run.yaml").write_text(f"extends: {LARGE}\n{found[1]}\n")
    config = load(tmp_path / "run.yaml")
    assert config.policy.mesh.devices == int(count) and gib(most(config).total) == found[2]


def test_what_fits_with_less_than_a_tenth_free_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    file, needed = str(LARGE), plan(load(LARGE).policy).total
    tight = told(capsys, file, "--device-memory", str(needed * 100 // 95))
    assert re.search(r"^fits, but less than a tenth is free: ", tight, re.MULTILINE)
    assert re.search(r"^change: .*, then it fits with a tenth free$", tight, re.MULTILINE)
    assert main([file, "--device-memory", str(needed * 100 // 95)]) == 0
    assert "fits with a tenth free: " in told(capsys, file, "--device-memory", str(needed * 10 // 9 + 10))


def test_the_help_says_what_the_exit_code_means(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "1 it does not fit, or, with --devices, no mesh of so many does" in said


def test_devices_that_only_play_are_planned_too(capsys: pytest.CaptureFixture[str]) -> None:
    """Learning is split over eight devices, and whoever plays holds the policy whole."""
    words = (str(EXPERIMENTS / "asynchronous.yaml"), "policy.decoder=qwen3-0.6b", "policy.packing.rows=8",
             "policy.mesh.fsdp=8")  # fmt: skip
    assert "only plays" not in told(capsys, *words, "--device-memory", "16GiB")
    said = told(capsys, *words, "asynchronous.rollout_devices=2", "--device-memory", "16GiB")
    config = load(Path(words[0]), (*words[1:], "asynchronous.rollout_devices=2"))
    learns, plays = plans(config)
    assert "key-value cache" not in {item.name for item in learns.items}
    bytes_of = {item.name: item.bytes for item in plays.items}
    # 596,049,920 parameters; 2 x 4 bytes of 128 slots, and of 24 gathered rows, x 256 x 28 layers x 8 x 128
    assert bytes_of["parameters"] == 4 * 596_049_920
    assert bytes_of["key-value cache"] == 2 * 4 * 128 * 256 * 28 * 8 * 128
    assert bytes_of["rows that are decoded"] == 2 * 4 * 24 * 256 * 28 * 8 * 128
    assert most(config) == plays and f"together{gib(plays.total):>31s}\n" in said
    assert "of 16.0 GiB on each of 2 devices (asynchronous.rollout_devices, each with" in said
    assert main([*words, "asynchronous.rollout_devices=2", "--device-memory", str(plays.total - 1)]) == 1


def test_playing_while_the_policy_learns_takes_a_copy_and_a_cache_all_the_time() -> None:
    file = EXPERIMENTS / "asynchronous.yaml"
    (meanwhile,), (between,) = plans(load(file)), plans(load(EXPERIMENTS / "closed_loop.yaml"))
    bytes_of = {item.name: item.bytes for item in meanwhile.items}
    more = bytes_of["parameters"] + sum(playing(load(file).policy).values())
    assert meanwhile.phase("gradients") - between.phase("gradients") == more


def test_a_dry_run_tells_the_memory_of_devices_that_only_play() -> None:
    words = ("asynchronous.rollout_devices=1", "policy.packing.rows=8", "policy.mesh.fsdp=8")
    config = load(EXPERIMENTS / "asynchronous.yaml", (*words, "policy.decoder=qwen3-0.6b"))
    (line,) = [line for line in render(config) if line.startswith("memory")]
    assert f"about {most(config).total / 1e6:,.0f} MB on each of 1 device (asynchronous.rollout" in line


def test_a_mesh_of_so_many_devices_is_found_or_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(LARGE), "--device-memory", "80GB", "--devices", "8"]) == 0
    assert re.search(
        r"with 8 devices: policy: \{mesh: \{data: \d, fsdp: \d, tensor: \d\}\}", capsys.readouterr().out
    )
    assert main([str(LARGE), "--device-memory", "1GB", "--devices", "8"]) == 1
    assert "no mesh of 8 devices has room for it" in capsys.readouterr().out


@pytest.mark.parametrize(
    "path", [LARGE, EXPERIMENTS / "qwen3_4b_closed_loop.yaml"], ids=lambda path: path.stem
)
def test_the_memory_plan_in_a_header_is_the_present_one(path: Path) -> None:
    found = plan(load(path).policy)
    quoted = re.search(r"^# Memory: +([\d.]+) GiB on each of (\d+) devices", path.read_text(), re.MULTILINE)
    assert quoted and quoted[1] == gib(found.total) and int(quoted[2]) == found.mesh.devices


def test_a_dry_run_tells_the_memory() -> None:
    config = load(LARGE)
    (line,) = [line for line in render(config) if line.startswith("memory")]
    assert f"about {plan(config.policy).total / 1e6:,.0f} MB on each of 8 devices" in line


def test_a_preset_may_be_changed_where_it_is_named(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text("policy: {decoder: {preset: small, layers: 4}}\n")
    small = load(file, ("policy.decoder.layers=8",)).policy.decoder
    assert (small.width, small.layers) == (256, 8)
    assert load(file).policy.decoder == small.model_copy(update={"layers": 4})
    for wrong in ("{preset: smal}", "{preset: [small]}", "smal"):
        file.write_text(f"policy: {{decoder: {wrong}}}\n")
        with pytest.raises(ConfigError, match=r"policy\.decoder: unknown preset .*small"):
            load(file)
