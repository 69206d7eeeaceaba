"""How a run on a slice is doing, and its restart after a preemption, as often as allowed."""

import json
import re
import time
from dataclasses import replace
from typing import Any

from tpu_scripts import gcloud
from tpu_scripts.create import create, wait
from tpu_scripts.errors import GcloudError, SliceError, UseError
from tpu_scripts.launch import Program, launch, on_worker
from tpu_scripts.prepare import prepare
from tpu_scripts.runner import Runner
from tpu_scripts.settings import Settings
from tpu_scripts.states import ACTIVE, COMING, TAKEN, Request, node_of, request_of

MISSES = 3  # looks in a row that workers may leave unanswered

Status = dict[str, Any]  # what `tpu_scripts.worker status` says of one worker


class Watch:
    """Looks at a run until it ends. `restarts` bounds how often it is started again; 0: never."""

    def __init__(
        self, runner: Runner, settings: Settings, program: Program | None, restarts: int, lines: int
    ) -> None:
        if restarts and program is None:
            raise UseError("--restart-preempted: give the CONFIG and overrides that launch was given, too")
        if restarts and settings.shared_run is None and settings.run.bucket is None:
            raise UseError(
                "--restart-preempted: a slice that is taken away takes its run directories along; launch and "
                "watch with --run-dir gs://BUCKET/PATH"
            )
        self._runner, self._settings, self._program = runner, settings, program
        self._left = self._allowed = restarts
        self._lines = lines
        self._misses = 0

    def commands(self) -> None:
        """Show the commands of one look."""
        self._runner.ask(gcloud.describe(self._settings))
        if self._commit_wanted:
            self._runner.ask(self._which_commit())
        self._runner.ask(gcloud.ssh(self._settings, self._question()))

    def until_end(self, once: bool = False) -> None:
        """Tell how the run is at every look; returns when it is finished, or after one look.

        Raises SliceError when the run failed, or the slice is gone and may not be had again.
        """
        while True:
            if self._finished() or once:
                return
            time.sleep(self._settings.poll_seconds)

    def _finished(self) -> bool:
        """One look, and a restart if one is needed; whether the run is finished on all workers."""
        request = request_of(self._runner, self._settings)
        name = self._settings.name
        if request is None:
            raise SliceError(f"{name}: no such slice; create it: python -m tpu_scripts create")
        if request.state in COMING:
            wait(self._runner, self._settings)
        elif request.state in TAKEN:
            self._replace(request)
        elif request.state != ACTIVE:
            raise SliceError(f"{name}: {request}; python -m tpu_scripts delete removes it")
        try:
            if self._commit_wanted:
                self._settings = replace(self._settings, commit=self._launched())
            statuses = self._statuses()
        except GcloudError as error:
            self._unanswered(request, error)
            return False
        self._misses = 0
        for status in statuses:
            self._tell(status)
        return self._judge(statuses)

    def _statuses(self) -> list[Status]:
        answer = self._runner.ask(gcloud.ssh(self._settings, self._question()))
        found = [json.loads(line) for line in answer.splitlines() if line.startswith('{"worker"')]
        if not found:
            raise GcloudError(f"{self._settings.name}: its workers said nothing; run setup and launch first")
        return sorted(found, key=lambda status: status["worker"])

    @property
    def _commit_wanted(self) -> bool:
        """Whether a restart would not know the code that was launched: it gets the code of the first."""
        return self._allowed > 0 and self._settings.commit is None

    def _which_commit(self) -> gcloud.Command:
        return gcloud.ssh(
            self._settings, ["git", "-C", self._settings.directory, "rev-parse", "HEAD"], worker="0"
        )

    def _launched(self) -> str:
        """The commit of the clone on the workers, from which the run was started."""
        answer = self._runner.ask(self._which_commit())
        found = re.search(r"^[0-9a-f]{40}$", answer, re.MULTILINE)
        if found is None:
            raise GcloudError(f"{self._settings.name}: its workers have no clone; run setup and launch first")
        return found.group()

    def _question(self) -> list[str]:
        words = ["status", "--run-dir", self._settings.run.local, "--lines", str(self._lines)]
        return on_worker(self._settings, words)

    def _unanswered(self, request: Request, error: GcloudError) -> None:
        """Workers did not answer: a preemption that the request does not tell yet, or a passing trouble."""
        node = node_of(self._runner, self._settings)
        if node is None or node.taken:
            self._replace(Request("gone" if node is None else node.state, "the node, not the request", False))
            return
        self._misses += 1
        if self._misses >= MISSES:
            raise error
        self._runner.say(f"{self._settings.name}: {request}, but no answer ({error}); looking again")

    def _judge(self, statuses: list[Status]) -> bool:
        states = {status["state"] for status in statuses}
        if "failed" in states:
            bad = next(status for status in statuses if status["state"] == "failed")
            raise SliceError(
                f"{self._settings.name}: worker {bad['worker']} ended with exit code {bad['code']}; its last "
                "lines are above"
            )
        if states == {"finished"}:
            self._runner.say(
                f"{self._settings.name}: finished; next: python -m tpu_scripts collect, then delete"
            )
            return True
        ended = states & {"died", "stopped", "lost"}
        if ended:  # the machine was restarted under the run, or that of another worker
            self._spend(f"the run {' and '.join(sorted(ended))}")
            self._start()
        elif states == {"absent"}:
            raise SliceError(f"{self._settings.name}: nothing was launched in {self._settings.run.local}")
        return False

    def _replace(self, request: Request) -> None:
        """Get another slice and go on there."""
        if request.by_user:
            raise SliceError(f"{self._settings.name}: {request}; delete and create it to go on")
        if self._commit_wanted:
            raise UseError(
                f"{self._settings.name}: {request}, and with it the clone that told what was launched; "
                "give --set commit=40-DIGITS"
            )
        self._spend(str(request))
        self._runner.ask(gcloud.delete(self._settings))
        create(self._runner, self._settings)
        prepare(self._runner, self._settings)
        self._start()

    def _spend(self, why: str) -> None:
        if self._left == 0:
            used = "after all restarts that were allowed" if self._allowed else "and no restart was asked for"
            raise SliceError(
                f"{self._settings.name}: {why}, {used}; to go on: watch CONFIG --restart-preempted N with "
                "--run-dir gs://BUCKET/PATH"
            )
        self._left -= 1
        self._runner.say(
            f"{self._settings.name}: {why}; restart {self._allowed - self._left} of {self._allowed}"
        )

    def _start(self) -> None:
        assert self._program is not None, "restarts are allowed only with a program"
        launch(self._runner, self._settings, self._program, again=True)

    def _tell(self, status: Status) -> None:
        age = "" if status["mirrored"] is None else f", snapshot {status['mirrored']} s ago"
        code = "" if status["code"] in (None, 0) else f" with exit code {status['code']}"
        self._runner.say(
            f"{time.strftime('%H:%M:%S')}  worker {status['worker']}  {status['state']}{code}{age}"
        )
        for line in status["tail"]:
            self._runner.say("    " + "".join(c if c.isprintable() else " " for c in line))
