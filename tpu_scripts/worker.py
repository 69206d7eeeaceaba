"""`python -m tpu_scripts.worker` runs on a worker: starts a run and watches over it, and tells how it is.

`start` fetches the run's newest snapshot if there is one and the directory is not there (a new machine after
a preemption), and leaves a supervisor behind. The supervisor runs the program, copies snapshots to the
bucket, and writes how the program ended.
"""

import argparse
import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import IO, Any

from tpu_scripts import snapshot
from tpu_scripts.errors import GcloudError, SliceError, UseError
from tpu_scripts.places import snapshot_of
from tpu_scripts.runner import Runner

LAST_TRIES = 3  # copies of the last snapshot that are tried
LINE = 240  # characters of a log line that are told
# Exit code of loop.run -> state; any other has failed. 75, or the abort of the library that joins processes:
# the process of another worker ended.
ENDS = {0: "finished", 130: "stopped", 75: "lost", -signal.SIGABRT: "lost"}


class Files:
    """What stands beside a run directory on a worker. `shared`: where several workers keep it together."""

    def __init__(self, run: Path, shared: Path | None = None) -> None:
        self.run = run
        self.shared = shared
        self.place = shared or run
        self.log = run.with_name(f"{run.name}.log")
        self.status = run.with_name(f"{run.name}.status.json")
        self.lock = run.with_name(f"{run.name}.supervisor")
        self.snapshot = run.with_name(f"{run.name}.tar")

    def write_status(self, **values: Any) -> None:
        """Replace the status."""
        part = self.status.with_name(f".{self.status.name}.part")
        part.write_text(json.dumps(values), encoding="utf-8")
        part.replace(self.status)

    def held(self) -> IO[str] | None:
        """The supervisor's lock, held until the file is closed; None when another process holds it."""
        file = self.lock.open("a")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return None
        return file


def index() -> int:
    """The number of this worker: TPU_WORKER_ID, or the end of the machine's name (t1v-n-0a1b2c3d-w-3)."""
    given = os.environ.get("TPU_WORKER_ID", "")
    if given.isdecimal():
        return int(given)
    found = re.search(r"-w-(\d+)$", socket.gethostname().split(".")[0])
    return int(found.group(1)) if found else 0


def start(files: Files, bucket: str | None, seconds: float, program: list[str], again: bool) -> str:
    """Leave a supervisor behind that runs the program; a line that says so.

    UseError when it is running or finished already; with `again` that is only told.
    """
    files.run.parent.mkdir(parents=True, exist_ok=True)
    lock = files.held()
    if lock is None:
        return _nothing(f"{files.run}: a run is going on in it; watch it, or give another --run-dir", again)
    with lock, files.log.open("ab") as log:
        came = restore(files, bucket)
        if (files.place / "finished").exists():
            return _nothing(f"{files.place}: holds a finished run; give another --run-dir", again)
        files.write_status(state="running")
        words = ["supervise", "--run-dir", str(files.run), "--mirror-seconds", str(seconds)]
        words += [] if bucket is None else ["--bucket", bucket]
        subprocess.Popen(
            [sys.executable, "-m", "tpu_scripts.worker", *words, "--", *program],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # it outlives the connection
            pass_fds=(lock.fileno(),),  # and holds the lock for as long as it lives
        )
    return f"worker {index()}: started {files.place}{came}"


def _nothing(why: str, again: bool) -> str:
    if again:
        return f"worker {index()}: {why}"
    raise UseError(why)


def restore(files: Files, bucket: str | None) -> str:
    """Fetch the snapshot of a run that is not here; words that say what came."""
    if bucket is None or (files.run / "config.json").exists():
        return ""
    place = snapshot_of(bucket, index())
    try:
        Runner().ask(["gcloud", "storage", "cp", place, str(files.snapshot)], patience=None)
    except GcloudError as error:
        if error.not_found:
            return " (nothing in the bucket yet)"
        raise  # to begin anew because the bucket did not answer would overwrite what is in it
    snapshot.unpack(files.snapshot, files.run)
    return f" from {place}"


def supervise(files: Files, bucket: str | None, seconds: float, program: list[str]) -> int:
    """Run the program to its end, with snapshots meanwhile; its exit code. `start` holds the lock for it."""
    child = subprocess.Popen([sys.executable, *program], stdin=subprocess.DEVNULL)

    def pass_on(number: int, frame: FrameType | None) -> None:
        child.send_signal(number)

    signal.signal(signal.SIGTERM, pass_on)  # a machine that is shut down: the program ends after its step
    mirrored: float | None = None
    while True:
        files.write_status(state="running", pid=os.getpid(), mirrored=mirrored)
        try:
            code = child.wait(seconds if bucket else None)
            break
        except subprocess.TimeoutExpired:
            mirrored = mirror(files, bucket) or mirrored
    for _ in range(LAST_TRIES if bucket else 0):
        last = mirror(files, bucket)
        if last is not None:
            mirrored = last
            break
    files.write_status(state=ENDS.get(code, "failed"), code=code, mirrored=mirrored)
    return code


def mirror(files: Files, bucket: str | None) -> float | None:
    """Copy a snapshot to the bucket; the time, or None when it did not work, which the log tells."""
    if bucket is None:
        return None
    try:
        snapshot.write(files.run, files.snapshot)
        place = snapshot_of(bucket, index())
        Runner().ask(["gcloud", "storage", "cp", str(files.snapshot), place], patience=None)
    except (SliceError, OSError) as error:
        print(f"snapshot: {error}", flush=True)
        return None
    return time.time()


def status(files: Files, lines: int) -> str:
    """One line of JSON: worker, state, code, age of the snapshot in seconds, last lines of the log."""
    values: dict[str, Any] = {"state": "absent"}
    if files.status.exists():
        values = json.loads(files.status.read_text(encoding="utf-8"))
    if values["state"] == "running":
        lock = files.held()
        if lock is not None:  # nobody holds it: the supervisor is gone, and did not say how the run ended
            lock.close()
            values["state"] = "died"
    made = values.get("mirrored")
    text = files.log.read_text(encoding="utf-8", errors="replace") if files.log.exists() else ""
    tail = [line[-LINE:] for line in re.split(r"[\r\n]+", text) if line.strip()][-lines:] if lines else []
    return json.dumps(
        {
            "worker": index(),
            "state": values["state"],
            "code": values.get("code"),
            "mirrored": None if made is None else round(max(time.time() - made, 0.0)),
            "tail": tail,
        }
    )


def main(argv: list[str] | None = None) -> int:
    """The command; exit code 2 for wrong use, 1 for what does not work."""
    given = _parser().parse_args(argv)
    shared = getattr(given, "shared", None)
    files = Files(Path(given.run_dir), None if shared is None else Path(shared))
    try:
        if given.action == "status":
            print(status(files, given.lines))
        elif given.action == "snapshot":
            snapshot.write(files.place, files.snapshot)
            print(files.snapshot)
        elif given.action == "start":
            print(start(files, given.bucket, given.mirror_seconds, given.program, given.again))
        else:
            return supervise(files, given.bucket, given.mirror_seconds, given.program)
    except SliceError as error:
        print(f"worker {index()}: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:  # the disk is full, or a folder is not there
        print(f"worker {index()}: {' '.join(str(error).split())}", file=sys.stderr)
        return SliceError.exit_code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tpu_scripts.worker", description="Used on a worker.")
    actions = parser.add_subparsers(dest="action", required=True)
    for name in ("start", "supervise", "status", "snapshot"):
        action = actions.add_parser(name)
        action.add_argument("--run-dir", required=True)
        if name in ("start", "supervise"):
            action.add_argument("--bucket")
            action.add_argument("--mirror-seconds", type=float, default=300.0)
            action.add_argument("program", nargs="+", help="arguments of Python: -m loop.run ...")
        if name == "start":
            action.add_argument("--again", action="store_true")
        if name in ("start", "snapshot"):
            action.add_argument("--shared", help="the run directory, where several workers keep it together")
        if name == "status":
            action.add_argument("--lines", type=int, default=5)
    return parser


if __name__ == "__main__":
    sys.exit(main())
