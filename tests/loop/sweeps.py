"""Small sweeps for the tests: a scripted policy, toy worlds, a second or two a run."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARMS = {"static": "none", "random_worlds": "random_worlds", "closed_loop": "closed_loop"}
"""Arm -> grower."""


def write_sweep(place: Path, text: str = "", arms: tuple[str, ...] = ("static", "closed_loop")) -> Path:
    """A sweep's file, and its arms' files, in a folder; `text` goes to the end of the sweep's."""
    place.mkdir(parents=True, exist_ok=True)
    for arm in arms:
        (place / f"{arm}.yaml").write_text(
            f"extends: {ROOT}/experiments/micro.yaml\nname: {arm}\narm: {arm}\n"
            f"curriculum: {{grower: {ARMS[arm]}, gate: 'tests.loop.fakes:OpenGate'}}\n"
            f"learner: 'tests.loop.fakes:NoisyOracle'\ncache: {place}/cache\n"
        )
    listed = "".join(f"  - config: {arm}.yaml\n" for arm in arms)
    (place / "tiny.yaml").write_text(f"name: tiny\nseeds: [10, 11]\narms:\n{listed}{text}")
    return place / "tiny.yaml"


def command(file: Path, place: Path, *more: str) -> list[str]:
    """The command that runs a sweep into a folder."""
    folders = ["--runs", f"{place}/runs", "--results", f"{place}/results"]
    return [sys.executable, "-m", "loop.sweep", str(file), *folders, *more]


def run(file: Path, place: Path, *more: str) -> "subprocess.CompletedProcess[str]":
    """Run it."""
    asked = command(file, place, *more)
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, timeout=300)
