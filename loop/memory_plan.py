"""Whether a configuration fits its devices: `python -m loop.memory_plan CONFIG [--devices N] [key=value]`.

With `--device-memory` nothing is asked of the machine, so a slice can be planned on a laptop. A tenth of a
device is to stay free, because what programs take is estimated; what is printed as a change may be pasted.
"""

import argparse
import math
import re
import shlex
import sys
from pathlib import Path

from loop.command import one_line_errors
from loop.config import Config
from loop.loading import load
from planet.command import Parser
from policy.config import MeshConfig
from policy.memory_advice import Demand, Fitting, advice, fitting_mesh
from policy.memory_plan import PHASES, Plan, plan, rollout_plan

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
    made = Parser(
        prog="python -m loop.memory_plan",
        description="Whether a configuration fits its devices.",
        epilog="Exit code: 0 it fits, with a tenth to spare or less; 1 it does not fit, or, with --devices, "
        "no mesh of so many does; 2 wrong use.",
    )
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
        found = plans(config)
        print("\n".join([*table(found[0]), *_of_those_that_play(found[1:]), ""]))
        print("\n".join(verdict(config, limit)))
        fits = limit is None or _most(found).total <= limit
        if given.devices is not None and limit is not None:
            mesh = _mesh(config, given.devices, limit)
            print(_mesh_line(config, given.devices, limit, mesh))
            fits = mesh is not None
        outcome.code = 0 if fits else DOES_NOT_FIT
    return outcome.code


def plans(config: Config) -> tuple[Plan, ...]:
    """What a device of the mesh has to hold, and what each of `asynchronous.rollout_devices`, if any."""
    mode = config.asynchronous
    if mode is None:
        return (plan(config.policy),)
    if mode.rollout_devices == 0:
        return (plan(config.policy, "meanwhile"),)
    return plan(config.policy, "elsewhere"), rollout_plan(config.policy)


def most(config: Config) -> Plan:
    """The larger of the plans."""
    return _most(plans(config))


def _most(found: tuple[Plan, ...]) -> Plan:
    return max(found, key=lambda each: each.total)


def _demand(config: Config) -> Demand:
    """What other settings of the policy would ask of a device."""
    return lambda policy: most(config.model_copy(update={"policy": policy}))


def table(found: Plan, phases: tuple[str, ...] = PHASES, devices: str = "GiB on each device") -> list[str]:
    """What takes how much of a device, in each phase."""
    lines = [f"{devices:28s}" + "".join(f"{name:>11s}" for name in phases)]
    for item in sorted(found.items, key=lambda item: -item.bytes):
        cells = "".join(f"{gib(item.bytes) if name in item.phases else '':>11s}" for name in phases)
        lines.append(f"{item.name:28s}{cells}{'' if item.exact else '  estimated'}")
    return [*lines, f"{'together':28s}" + "".join(f"{gib(found.phase(name)):>11s}" for name in phases)]


def _of_those_that_play(found: tuple[Plan, ...]) -> list[str]:
    heading = "GiB on each that only plays"
    return [line for each in found for line in ("", *table(each, ("rollout",), heading))]


def verdict(config: Config, limit: int | None) -> list[str]:
    """Whether it fits, and what to change when it does not, or barely."""
    found = most(config)
    if limit is None:
        needed = f"needs {gib(found.total)} GiB on each of {where(config, found)}"
        return [f"{needed}; give --device-memory to be told if it fits"]
    room = f"{gib(found.total)} GiB of {gib(limit)} GiB on each of {where(config, found)}"
    lines = [f"{how_it_fits(found.total, limit)}: {room}, most of it for {found.peak}"]
    if found.total <= roomy(limit):
        return lines
    better = advice(config.policy, roomy(limit), _demand(config))
    changes = shlex.join(better.changes) or "nothing helps"
    if better.plan.total <= limit:
        words = f"then it {how_it_fits(better.plan.total, limit)}"
    else:
        words = "which is the least that was found, and still too much"
    return [*lines, f"change: {changes}; {gib(better.plan.total)} GiB, {words}"]


def roomy(limit: int) -> int:
    """Bytes to plan with: a compiler may ask for more than was estimated."""
    return limit * 9 // 10


def how_it_fits(total: int, limit: int) -> str:
    """Whether so many bytes fit, in words."""
    if total > limit:
        return "does not fit"
    return "fits with a tenth free" if total <= roomy(limit) else "fits, but less than a tenth is free"


def where(config: Config, found: Plan) -> str:
    """The devices that a plan is of, in words."""
    mode = config.asynchronous
    if mode is not None and mode.rollout_devices and found == rollout_plan(config.policy):
        return f"{_devices(mode.rollout_devices)} (asynchronous.rollout_devices, each with the whole policy)"
    return f"{_devices(found.mesh.devices)} ({shape_of(found.mesh)})"


def _devices(count: int) -> str:
    return f"{count} device{'s' if count > 1 else ''}"


def shape_of(mesh: MeshConfig) -> str:
    """A mesh in words."""
    return f"data {mesh.data}, fsdp {mesh.fsdp}, tensor {mesh.tensor}"


def gib(count: int) -> str:
    """Bytes in GiB, with as many digits as one can tell apart."""
    value = count / 2**30
    return f"{value:,.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"


def _mesh(config: Config, count: int, limit: int) -> Fitting | None:
    """The first mesh of so many devices with a tenth free, or else one that just fits."""
    demand = _demand(config)
    found = fitting_mesh(config.policy, count, roomy(limit), demand)
    return found or fitting_mesh(config.policy, count, limit, demand)


def _mesh_line(config: Config, count: int, limit: int, found: Fitting | None) -> str:
    """The mesh as a configuration takes it."""
    if found is None:
        return f"no mesh of {_devices(count)} has room for it"
    axes = ", ".join(f"{axis}: {length}" for axis, length in found.mesh.model_dump().items())
    rows = f", packing: {{rows: {found.rows}}}" if found.rows != config.policy.packing.rows else ""
    keys = f"policy: {{mesh: {{{axes}}}{rows}}}"
    total = found.plan.total
    return f"with {_devices(count)}: {keys} takes {gib(total)} GiB of each, and {how_it_fits(total, limit)}"


def _of_this_device() -> int | None:
    from policy.device_memory import device_memory

    return device_memory()


if __name__ == "__main__":
    sys.exit(main())
