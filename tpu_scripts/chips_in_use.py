"""Whether a program uses the chips that are paid for; told before anything is started."""

from pathlib import Path

from tpu_scripts.chips import chips
from tpu_scripts.errors import UseError
from tpu_scripts.launch import Program
from tpu_scripts.runner import Runner
from tpu_scripts.settings import Settings

ROOT = Path(__file__).resolve().parents[1]


def require_chips_in_use(runner: Runner, settings: Settings, started: Program) -> None:
    """Compare `policy.mesh` with the slice, as this checkout has the configuration.

    UseError when it asks for more chips than there are, or leaves some out on several hosts, where every
    process has to take part. On a single host idle chips are a remark, and so is what this checkout cannot
    read: the workers may be at another commit.
    """
    from loop.errors import ConfigError
    from loop.loading import load

    try:
        config = load(ROOT / started.config, started.overrides)
    except ConfigError as error:
        runner.say(f"# whether all chips are used is not known: {error}")
        return
    playing = config.asynchronous.rollout_devices if config.asynchronous is not None else 0
    used, there = config.policy.mesh.devices, chips(settings.accelerator_type) - playing
    if there < 1:
        raise UseError(
            f"asynchronous.rollout_devices={playing} leaves none of the chips of "
            f"{settings.accelerator_type} to learn; lower it"
        )
    if used == there:
        return
    beside = f" beside {playing} that only play" if playing else ""
    told = (
        f"policy.mesh uses {used} of the {there} chips of {settings.accelerator_type}{beside}; to use all "
        f"give policy.mesh.data={there} policy.packing.rows={there}, or spread them over all axes"
    )
    if used > there or settings.hosts > 1:
        raise UseError(told)
    runner.say(f"# {told}")
