"""Every worker set up alike: the repository at one commit, and its virtual environment with two extras."""

import re
import shutil
import subprocess

from tpu_scripts import gcloud
from tpu_scripts.errors import UseError
from tpu_scripts.runner import Runner
from tpu_scripts.settings import Settings


def prepare(runner: Runner, settings: Settings, check: bool = True) -> None:
    """Set up all workers; to do it again brings them to another commit. GcloudError when one fails."""
    commit = settings.commit or head(runner)
    for program in programs(settings, commit, check):
        runner.show(gcloud.ssh(settings, program))


def programs(settings: Settings, commit: str, check: bool) -> list[list[str]]:
    """What is run on every worker, in this order; each does nothing when its work is done already."""
    if settings.repository is None:
        raise UseError(
            "repository: not set, so workers have nothing to clone; give --set repository=https://HOST/PATH"
        )
    place = settings.directory
    python = f"{place}/.venv/bin/python"
    uv = ["python3", "-m", "uv"]  # images come with a Python that may be too old: uv fetches the right one
    requirements = ["--constraint", f"{place}/constraints.txt", "--editable", f"./{place}[tpu,weights]"]
    found = [
        ["git", "init", "--quiet", place],
        ["git", "-C", place, "fetch", "--quiet", "--depth=1", settings.repository, commit],
        ["git", "-C", place, "checkout", "--quiet", "--force", "--detach", commit],
        ["python3", "-m", "pip", "install", "--quiet", "--user", "uv"],
        [*uv, "venv", "--quiet", "--allow-existing", "--python", settings.python, f"{place}/.venv"],
        [*uv, "pip", "install", "--quiet", "--python", python, *requirements],
    ]
    # On a slice of several hosts this must run on all of them at once, as it does.
    devices = ["env", f"--chdir={place}", ".venv/bin/python", "tpu_scripts/check_devices.py"]
    return [*found, devices] if check else found


def head(runner: Runner) -> str:
    """The commit of this checkout; says so when there are changes that it lacks."""
    commit = _git("rev-parse", "HEAD").strip()
    if not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise UseError("commit: not set, and this is no git checkout; give --set commit=40-DIGITS")
    changed = _git("status", "--porcelain").splitlines()
    if changed:
        runner.say(f"# {len(changed)} changed files are not in commit {commit[:12]}, which the workers get")
    return commit


def _git(*words: str) -> str:
    if shutil.which("git") is None:
        return ""
    return subprocess.run(["git", *words], capture_output=True, text=True, check=False).stdout
