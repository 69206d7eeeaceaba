"""`python -m loop.memory_plan` says what fits and what to change; presets may be changed in place."""

import re
from pathlib import Path

import pytest

from loop.costs import render
from loop.errors import ConfigError
from loop.loading import load
from loop.memory_plan import gib, main, memory
from policy.memory_plan import plan

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
    assert repr(words[1]) in capsys.readouterr().err


def test_what_fits_is_told_with_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(EXPERIMENTS / "closed_loop.yaml"), "--device-memory", "16GiB"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^fits: [\d.]+ GiB of 16\.0 GiB on each of 1 device ", said, re.MULTILINE)
    assert re.search(r"^parameters( +0\.00\d+){3}$", said, re.MULTILINE)


def test_what_does_not_fit_is_told_with_what_to_change_and_exit_code_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([str(LARGE), "policy.mesh.fsdp=1", "--device-memory", "16GiB"]) == 1
    said = capsys.readouterr().out
    assert "does not fit: " in said
    assert re.search(r"^change: .*policy\.mesh\.fsdp=\d+.*, then it fits$", said, re.MULTILINE)


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
