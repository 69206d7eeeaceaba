"""The same program on all workers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tpu_scripts import gcloud
from tpu_scripts.errors import UseError
from tpu_scripts.places import relative
from tpu_scripts.runner import Runner
from tpu_scripts.settings import Settings


@dataclass(frozen=True)
class Program:
    """What is run: `loop.run` with a configuration. Its run directory is one of the settings."""

    config: str  # path in the repository
    overrides: tuple[str, ...] = ()  # key=value

    def arguments(self, run_dir: str) -> list[str]:
        """Arguments of Python. A run that was begun is continued, so they are the same at every start.

        No address of a coordinator, no number of a process: on a TPU jax.distributed.initialize finds both
        (docs.jax.dev/en/latest/_autosummary/jax.distributed.initialize.html).
        """
        return [
            "-m",
            "loop.run",
            self.config,
            *self.overrides,
            "--run-dir",
            run_dir,
            "--resume-if-unfinished",
        ]


def program(config: str, overrides: Sequence[str]) -> Program:
    """A checked program; UseError for a path that leads elsewhere or an override that is none."""
    for text in overrides:
        key, equals, _ = text.partition("=")
        if not (equals and key.replace(".", "").replace("_", "").isalnum() and text.isprintable()):
            raise UseError(f"{text!r}: not an override; give key=value, e.g. seed=1")
    return Program(relative(config, "config"), tuple(overrides))


def launch(runner: Runner, settings: Settings, started: Program, again: bool = False) -> None:
    """Start the program on every worker, or go on with it; it outlives the connection.

    With `again`, workers on which it is still running, or finished, are left as they are.
    """
    run, shared = settings.run, settings.shared_run
    options = ["--again"] if again else []
    if run.bucket is not None:
        options += ["--bucket", run.bucket, "--mirror-seconds", f"{settings.mirror_seconds:g}"]
    # A TPU multiplies float32 in bfloat16 passes unless told otherwise.
    variables = [f"JAX_DEFAULT_MATMUL_PRECISION={settings.matmul_precision}"]
    if shared is not None:
        options += ["--shared", shared]
        variables.append(f"LOOP_PROCESSES={settings.hosts}")
        started = replace(started, overrides=(*started.overrides, f"cache={settings.shared_dir}/cache"))
    begin = ["start", "--run-dir", run.local, *options, "--", *started.arguments(shared or run.local)]
    runner.show(gcloud.ssh(settings, on_worker(settings, begin, *variables)))


def on_worker(settings: Settings, words: Sequence[str], *variables: str) -> list[str]:
    """A command of `tpu_scripts.worker` in the clone, with NAME=VALUE environment variables."""
    here = ["env", f"--chdir={settings.directory}", *variables]
    return [*here, ".venv/bin/python", "-m", "tpu_scripts.worker", *words]
