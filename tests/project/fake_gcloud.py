"""A gcloud that acts on folders instead of a cloud, and writes down how it was called.

It holds one request with the states it will go through, one home directory per worker, in which what comes
over ssh is really run, and buckets. A worker's `loop.run` is a toy that records steps as a run does.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

TOY_RUN = """
import json, os, sqlite3, sys, time
from pathlib import Path

words = sys.argv[1:]
run = Path(words[words.index("--run-dir") + 1])
given = dict(word.split("=", 1) for word in words if "=" in word)
if "fail" in given:
    sys.exit(f"boom {given['fail']}")
run.mkdir(parents=True, exist_ok=True)
(run / "checkpoints").mkdir(exist_ok=True)
ledger = sqlite3.connect(run / "ledger.sqlite", isolation_level=None)
ledger.execute("CREATE TABLE IF NOT EXISTS steps (step INTEGER PRIMARY KEY)")
(run / "config.json").write_text(json.dumps(words))
begin = ledger.execute("SELECT COUNT(*) FROM steps").fetchone()[0]
print(f"going on at step {begin} with {given.get('note')}", flush=True)
for step in range(begin, int(given["steps"])):
    if begin == 0 and step == int(given.get("hold", -1)):
        print("holding", flush=True)
        time.sleep(600)
    (run / "checkpoints" / str(step)).mkdir(exist_ok=True)
    (run / "checkpoints" / str(step) / "state").write_text(str(step))
    ledger.execute("INSERT INTO steps VALUES (?)", (step,))
(run / "finished").write_text("true")
print("done", flush=True)
"""


class Cloud:
    """The fake, and what it holds. `states`, `on_create`, `node` and `errors` say how it will answer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"

    @classmethod
    def make(cls, folder: Path, **values: Any) -> "Cloud":
        """A cloud without a request; creation leads to ACTIVE at once unless `on_create` says more."""
        made = cls(folder)
        (folder / "bin").mkdir(parents=True)
        script = folder / "bin" / "gcloud"
        script.write_text(f"#!{sys.executable} -SE\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
                          f"from tests.project.fake_gcloud import main\nmain({str(folder)!r})\n")  # fmt: skip
        script.chmod(0o755)
        start = {"states": None, "on_create": ["ACTIVE"], "node": "READY", "workers": 1, "errors": {}}
        made.set(**{**start, **values})
        return made

    def set(self, **values: Any) -> None:
        """Change how it will answer."""
        file = self.folder / "world.json"
        found = json.loads(file.read_text()) if file.exists() else {}
        file.write_text(json.dumps({**found, **values}))

    def get(self, key: str) -> Any:
        """How it will answer."""
        return json.loads((self.folder / "world.json").read_text())[key]

    def calls(self, *words: str) -> list[list[str]]:
        """The calls so far that contain all of some words, without their first one."""
        file = self.folder / "calls.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        return [call for call in map(json.loads, lines) if set(words) <= set(call)]

    def home(self, worker: int = 0) -> Path:
        """The home directory of a worker."""
        return self.folder / f"home-{worker}"

    def clone(self, worker: int = 0) -> Path:
        """The clone on a worker."""
        return self.home(worker) / "closed-loop-curricula"

    def bucket(self, place: str) -> Path:
        """The file behind gs://..."""
        return self.folder / "buckets" / place.removeprefix("gs://")

    def lose(self) -> None:
        """Take the machines away, with whatever runs on them."""
        for home in self.folder.glob("home-*"):
            while at_work := _at_work_in(home):
                for pid in at_work:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                time.sleep(0.01)
            shutil.rmtree(home)


def main(folder: str) -> None:
    """One call."""
    cloud, words = Cloud(Path(folder)), sys.argv[1:]
    with (cloud.folder / "calls.jsonl").open("a") as log:
        log.write(json.dumps(words) + "\n")
    action = " ".join(words[2:4]) if words[0] == "compute" else " ".join(words[:2])
    for key, message in cloud.get("errors").items():
        if key in words:
            sys.exit(f"ERROR: (gcloud.{'.'.join(words[:4])}) {message}")
    if action == "queued-resources create":
        cloud.set(states=cloud.get("on_create"))
    elif action == "queued-resources describe":
        print(json.dumps(_request(cloud)))
    elif action == "queued-resources delete":
        cloud.lose()
        cloud.set(states=None)
    elif action == "tpu-vm describe":
        print(json.dumps({"state": cloud.get("node"), "networkEndpoints": [{}] * cloud.get("workers")}))
    elif action == "tpu-vm ssh":
        _ssh(cloud, words)
    elif action == "tpu-vm scp":
        worker = int(_flag(words, "worker"))
        shutil.copy(cloud.home(worker) / words[4].partition(":")[2], words[5])
    elif action == "storage cp":
        source, target = (cloud.bucket(w) if w.startswith("gs://") else Path(w) for w in words[2:4])
        if not source.exists():
            sys.exit(
                f"ERROR: (gcloud.storage.cp) The following URLs matched no objects or files:\n{words[2]}"
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, f"{target}.part")
        os.replace(f"{target}.part", target)
    elif action == "storage ls":
        found = sorted(cloud.bucket(words[2]).parent.glob("worker-*.tar"))
        if not found:
            sys.exit("ERROR: (gcloud.storage.ls) One or more URLs matched no objects.")
        print("\n".join(f"{words[2].rsplit('/', 1)[0]}/{file.name}" for file in found))
    else:
        sys.exit(f"ERROR: the fake does not know {words}")


def _at_work_in(home: Path) -> list[int]:
    """The processes that work in a home, whoever began them; none of them is left to write there."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if _works_in(home, entry)]


def _works_in(home: Path, process: Path) -> bool:
    try:
        return process.name.isdecimal() and Path(os.readlink(process / "cwd")).is_relative_to(home.resolve())
    except OSError:  # it has ended, or is somebody else's
        return False


def _request(cloud: Cloud) -> dict[str, Any]:
    states = cloud.get("states")
    if states is None:
        sys.exit("ERROR: (gcloud.compute.tpus.queued-resources.describe) NOT_FOUND: Resource not found")
    if len(states) > 1:
        cloud.set(states=states[1:])
    state = states[0] if isinstance(states[0], dict) else {"state": states[0]}
    if state["state"] == "SUSPENDED":
        cloud.lose()
    return {"name": "projects/p/locations/z/queuedResources/curricula", "state": state}


def _ssh(cloud: Cloud, words: list[str]) -> None:
    command = _flag(words, "command")
    asked = _flag(words, "worker")
    for worker in range(cloud.get("workers")) if asked == "all" else [int(asked)]:
        if command.startswith("git init"):
            _clone(cloud.clone(worker))
        if command.startswith("git -C") and " checkout " in command:
            (cloud.clone(worker) / "commit").write_text(command.split()[-1])
        if command.endswith(" rev-parse HEAD"):
            print((cloud.clone(worker) / "commit").read_text())
        if command.startswith(("git ", "python3 -m ")) or "check_devices" in command:
            continue  # what fetches something: written down only
        environment = {**os.environ, "PATH": cloud.path, "TPU_WORKER_ID": str(worker)}
        done = subprocess.run(["sh", "-c", command], cwd=cloud.home(worker), env=environment, check=False)
        if done.returncode:
            sys.exit(done.returncode)


def _clone(place: Path) -> None:
    if place.exists():
        return
    (place / ".venv/bin").mkdir(parents=True)
    (place / ".venv/bin/python").symlink_to(Path(sys.executable).resolve())  # without any installed package
    (place / "tpu_scripts").symlink_to(ROOT / "tpu_scripts")
    (place / "loop").mkdir()
    (place / "loop/run.py").write_text(TOY_RUN)


def _flag(words: list[str], name: str) -> str:
    return next(word.partition("=")[2] for word in words if word.startswith(f"--{name}="))
