"""Sides run in processes of their own, take turns, and say in one line why they could not measure."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.sides import ROOT, Side, SideError, answer, measured, needed, taking_turns

FAKE = """
import sys
from benchmarks.sides import answer, needed
def measure(given):
    print("noise")
    if "lacks" in given:
        needed(given["lacks"])
    if "breaks" in given:
        raise ZeroDivisionError("by nought")
    return {"double": 2 * given["number"], "first": sys.argv[0]}
raise SystemExit(answer(measure, sys.argv[1:]))
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of the benchmark's that doubles a number."""
    package = tmp_path / "benchmarks"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "sides.py").write_text((ROOT / "benchmarks" / "sides.py").read_text())
    (package / "fake.py").write_text(FAKE)
    monkeypatch.setattr("benchmarks.sides.ROOT", tmp_path)
    return "benchmarks.fake"


def test_a_side_is_given_its_task_and_its_figures_come_back_whatever_it_prints(fake: str) -> None:
    figures = measured(Side("fake", fake, sys.executable, {"number": 21}))
    assert figures["double"] == 42


def test_what_a_side_lacks_is_told_in_its_own_words(fake: str) -> None:
    complaint = r"^fake ended with exit code 2: .* has no package nowhere; install the extra `peers`, "
    with pytest.raises(SideError, match=complaint):
        measured(Side("fake", fake, sys.executable, {"number": 1, "lacks": "nowhere"}))


def test_a_side_that_breaks_is_told_by_its_last_line(fake: str) -> None:
    with pytest.raises(SideError, match=r"^fake ended with exit code 1: ZeroDivisionError: by nought$"):
        measured(Side("fake", fake, sys.executable, {"number": 1, "breaks": True}))


def test_an_interpreter_that_is_none_is_told() -> None:
    with pytest.raises(SideError, match=r"^/nowhere/python cannot be run"):
        measured(Side("fake", "benchmarks.fake", "/nowhere/python", {}))


def test_sides_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = [Side("a", "", "", {}), Side("b", "", "", {})]
    order: list[str] = []
    monkeypatch.setattr("benchmarks.sides.measured", lambda side: {"seen": len(order)})
    found = taking_turns(sides, 2, lambda side, number: order.append(f"{side.name}{number}"))
    assert order == ["a1", "b1", "a2", "b2"]
    assert found == {"a": [{"seen": 1}, {"seen": 3}], "b": [{"seen": 2}, {"seen": 4}]}


def test_a_package_that_is_there_but_lacks_another_is_not_called_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_there.py").write_text("import nowhere_at_all")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="nowhere_at_all"):
        needed("half_there")


def test_a_side_without_a_place_for_its_figures_is_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="unpack"):
        answer(lambda given: given, [])


@pytest.mark.parametrize("side", ["grpo_trl", "decoding_llama"])
def test_a_side_of_another_program_begins_without_any_installed_package(side: str) -> None:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import benchmarks.{side}"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize("command", ["grpo", "decoding"])
def test_help_loads_neither_jax_nor_torch(command: str) -> None:
    heavy = ("jax", "flax", "torch", "transformers", "trl", "tokenizers", "xllamacpp")
    code = (
        "import sys, runpy, atexit\n"
        f"atexit.register(lambda: print('HEAVY', *sorted(set({heavy!r}) & set(sys.modules))))\n"
        f"sys.argv = ['x', '--help']; runpy.run_module('benchmarks.{command}', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert f"usage: python -m benchmarks.{command}" in done.stdout
    assert done.stdout.strip().endswith("HEAVY")
