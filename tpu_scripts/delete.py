"""A slice given back, whatever state it is in."""

from collections.abc import Callable

from tpu_scripts import gcloud
from tpu_scripts.chips import chips
from tpu_scripts.errors import UseError
from tpu_scripts.runner import Runner
from tpu_scripts.settings import Settings
from tpu_scripts.states import request_of


def delete(runner: Runner, settings: Settings, yes: bool, read: Callable[[str], str] = input) -> None:
    """Delete the request and its nodes, after asking back unless `yes`. UseError when the answer is no."""
    if runner.dry_run:
        runner.ask(gcloud.describe(settings))
        runner.ask(gcloud.delete(settings))
        return
    request = request_of(runner, settings)
    if request is None:
        runner.say(
            f"{settings.name}: no such slice in {settings.zone} of {settings.project}; nothing to delete"
        )
        return
    number = chips(settings.accelerator_type)
    kept = "" if settings.run.bucket else ", with the run directories on it"
    if not yes and not _agreed(read, f"delete {settings.name} ({number} chips, {request}){kept}? [y/N] "):
        raise UseError(f"{settings.name}: not deleted; it goes on costing money while it is ACTIVE")
    runner.ask(gcloud.delete(settings))
    runner.say(f"{settings.name}: deleted")


def _agreed(read: Callable[[str], str], question: str) -> bool:
    try:
        return read(question).strip().lower() in ("y", "yes")
    except EOFError:  # nobody there to ask
        return False
