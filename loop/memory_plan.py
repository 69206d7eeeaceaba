"""Whether a configuration fits its devices: `python -m loop.memory_plan CONFIG [--devices N] [key=value]`.

With `--device-memory` nothing is asked of the machine, so a slice can be planned on a laptop.
"""

import argparse
import math
import re
import sys
from pathlib import Path

from loop.command import Parser, one_line_errors
from loop.config import Config
from loop.loading import load
from policy.config import MeshConfig
from policy.memory_advice import advice, fitting_mesh
from policy.memory_plan import PHASES, Plan, plan

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
UNITS |= {f"{prefix}i": 1024 ** (power + 1) for power, prefix in enumerate("KMGT")}
DOES_NOT_FIT = 1


def memory(text: str) -> int:
    """Bytes of e.g. `16GiB`, `80 GB` or `500000000`."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]i?)?B?", text.strip())
    if found is None or not 0 < float(found[1]) < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no amount of memory; give e.g. 16GiB")
    return int(float(found[1]) * UNITS[found[2] or ""])


def devices(text: str) -> int:
    """A number of devices."""
    if not (text.isdecimal() and 1 <= int(text) <= 65_536):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of devices; give 1 to 65536")
    return int(text)


def parser() -> Parser:
    """The command line."""
    made = Parser(prog="python -m loop.memory_plan", description="Whether a configuration fits its devices.")
    made.add_argument("config", type=Path, help="a YAML file, e.g. experiments/qwen3_4b_closed_loop.yaml")
    made.add_argument("overrides", nargs="*", metavar="key=value", help="e.g. policy.mesh.fsdp=8")
    made.add_argument("--devices", type=devices, metavar="N", help="look for a mesh of so many devices")
    made.add_argument(
        "--device-memory", type=memory, metavar="SIZE", help="of one device, e.g. 16GiB; default: of this one"
    )
    return made


def main(argv: list[str] | None = None) -> int:
    """The command; exit code 1 when the configuration does not fit, 2 for wrong use."""
    given = parser().parse_intermixed_args(argv)
    with one_line_errors() as outcome:
        config = load(given.config, tuple(given.overrides))
        limit = given.device_memory or _of_this_device()
        found = plan(config.policy)
        print("\n".join([*table(found), "", *verdict(config, found, limit)]))
        fits = limit is None or found.total <= limit
        if given.devices is not None and limit is not None:
            mesh = fitting_mesh(config.policy, given.devices, limit)
            print(_mesh_line(given.devices, mesh))
            fits = mesh is not None
        outcome.code = 0 if fits else DOES_NOT_FIT
    return outcome.code


def table(found: Plan) -> list[str]:
    """What takes how much of a device, in each phase."""
    lines = [f"{'GiB on each device':28s}" + "".join(f"{name:>11s}" for name in PHASES)]
    for item in sorted(found.items, key=lambda item: -item.bytes):
        cells = "".join(f"{gib(item.bytes) if name in item.phases else '':>11s}" for name in PHASES)
        lines.append(f"{item.name:28s}{cells}{'' if item.exact else '  estimated'}")
    return [*lines, f"{'together':28s}" + "".join(f"{gib(found.phase(name)):>11s}" for name in PHASES)]


def verdict(config: Config, found: Plan, limit: int | None) -> list[str]:
    """Whether it fits, and what to change when it does not."""
    shape = f"{found.mesh.devices} device{'s' if found.mesh.devices > 1 else ''} ({shape_of(found.mesh)})"
    if limit is None:
        return [
            f"needs {gib(found.total)} GiB on each of {shape}; give --device-memory to be told if it fits"
        ]
    room = f"{gib(found.total)} GiB of {gib(limit)} GiB on each of {shape}, most of it for {found.peak}"
    if found.total <= limit:
        return [f"fits: {room}"]
    better = advice(config.policy, limit)
    words = "then it fits" if better.fits else "which is the least that was found, and still too much"
    return [
        f"does not fit: {room}",
        f"change: {', '.join(better.changes) or 'nothing helps'}; {gib(better.plan.total)} GiB, {words}",
    ]


def shape_of(mesh: MeshConfig) -> str:
    """A mesh in words."""
    return f"data {mesh.data}, fsdp {mesh.fsdp}, tensor {mesh.tensor}"


def gib(count: int) -> str:
    """Bytes in GiB, with as many digits as one can tell apart."""
    value = count / 2**30
    return f"{value:,.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"


def _mesh_line(count: int, found: tuple[MeshConfig, Plan] | None) -> str:
    if found is None:
        return f"no mesh of {count} devices has room for it"
    mesh, room = found
    keys = ", ".join(f"{axis}: {length}" for axis, length in mesh.model_dump().items())
    return f"with {count} devices: policy: {{mesh: {{{keys}}}}} takes {gib(room.total)} GiB of each"


def _of_this_device() -> int | None:
    from policy.device_memory import device_memory

    return device_memory()


if __name__ == "__main__":
    sys.exit(main())
