"""A slice, asked for and waited for."""

import time

from tpu_scripts import gcloud
from tpu_scripts.chips import cost
from tpu_scripts.errors import SliceError
from tpu_scripts.runner import Runner
from tpu_scripts.settings import Settings
from tpu_scripts.states import ACTIVE, COMING, request_of


def create(runner: Runner, settings: Settings, hours: float | None = None) -> None:
    """Ask for the slice unless it is asked for already, and wait until it is there.

    Raises SliceError that says why when it cannot be had.
    """
    prices = cost(settings.accelerator_type, settings.price_per_chip_hour, hours)
    if runner.dry_run:
        runner.ask(gcloud.create(settings))
        runner.ask(gcloud.describe(settings))
        runner.say(f"# the last one every {settings.poll_seconds:g} s until it says ACTIVE or FAILED")
    else:
        request = request_of(runner, settings)
        if request is None:
            runner.ask(gcloud.create(settings))
        elif request.state not in (ACTIVE, *COMING):
            raise SliceError(
                f"{settings.name}: is there and {request}; delete it first: python -m tpu_scripts delete"
            )
        wait(runner, settings)
    for line in prices:
        runner.say(line)


def wait(runner: Runner, settings: Settings) -> None:
    """Return when the slice is ACTIVE; SliceError when it will not be, or has not been in time."""
    end = time.monotonic() + settings.wait_hours * 3600
    told = ""
    while True:
        request = request_of(runner, settings)
        if request is None:
            raise SliceError(f"{settings.name}: gone from the queue while it was waited for; create it again")
        if str(request) != told:
            told = str(request)
            runner.say(f"{time.strftime('%H:%M:%S')}  {settings.name}  {told}")
        if request.state == ACTIVE:
            return
        if request.state not in COMING:
            raise SliceError(
                f"{settings.name}: {request}; it cannot be had like this: delete it, and ask for another "
                "zone or type"
            )
        if time.monotonic() >= end:
            raise SliceError(
                f"{settings.name}: still {request} after {settings.wait_hours:g} h; it stays in the queue: "
                "create goes on waiting, delete gives it up"
            )
        time.sleep(settings.poll_seconds)
