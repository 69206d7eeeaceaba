"""`python -m tests.loop.devices_run PLACE [resume]`: an asynchronous run on 2 + 6 devices, and one killed.

Without `resume`: a whole run in PLACE/whole, then a second one in PLACE/died that ends by SIGKILL within its
third update. With it: PLACE/died goes on. One process does the first two, so that programs are compiled once.
"""

import sys
from pathlib import Path

from loop.launch import launch
from loop.loading import load
from tests.loop.killed_run import plant

OVERRIDES = (
    "asynchronous={staleness: 3, ahead: 4, advance: 3, rollout_devices: 6}",
    "policy.mesh.fsdp=2",
    "updates_per_iteration=4",
    "curriculum.grower=none",
    # A policy that has learned nothing: every group is admitted, and episodes last some turns.
    "curriculum.gate=tests.loop.fakes:OpenGate",
    "policy.grpo.entropy=0.01",
    "policy.rollout={slots: 8, decode_buckets: [8], decode_steps: 4, chunk_widths: [128], max_unreadable: 6}",
    "policy.rollout.max_turn_tokens=12",
)


def main(place: Path, resume: bool) -> None:
    """The runs."""
    config = load(Path("experiments/micro.yaml"), (*OVERRIDES, f"cache={place}/cache"))
    if not resume:
        launch(config, place / "whole")
        plant("update", 3)
    launch(config, place / "died", resume=resume)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] == ["resume"])
