"""One run of several: begun, gone on with, or found finished."""

from pathlib import Path

from loop.config import Config
from loop.errors import Interrupted


def run_arm(config: Config, directory: Path, resume: bool) -> bool:
    """Bring a run to its end, and say so first; whether there was anything to do.

    resume: take a finished run as it is and continue an unfinished one; otherwise both are refused, and so is
    another run in its place.
    Interrupted when the user asked for the end, even if this run was finished with the step in hand: others
    may be to come.
    """
    from loop.launch import launch
    from loop.resuming.interruption import Interruption
    from loop.run_directory import RunDirectory, is_run, require_same

    print(f"arm {config.arm}, seed {config.seed}: {directory}", flush=True)
    found = resume and is_run(directory)
    if found and RunDirectory(directory).finished:
        require_same(directory, config)
        return False
    interruption = Interruption()
    launch(config, directory, resume=found, interruption=interruption)
    if interruption.asked():
        raise Interrupted("stopped as asked")
    return True
