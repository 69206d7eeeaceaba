"""The gcloud commands, as lists of arguments. Nothing is run here.

Flags as in the reference of the command line, checked against gcloud 528.0.0:
cloud.google.com/sdk/gcloud/reference/compute/tpus/queued-resources/create (also delete, describe),
cloud.google.com/sdk/gcloud/reference/compute/tpus/tpu-vm/ssh (also scp, describe),
cloud.google.com/sdk/gcloud/reference/storage/cp (also ls).
"""

import shlex
from collections.abc import Sequence

from tpu_scripts.settings import Settings

Command = list[str]

_QUEUE = ["gcloud", "compute", "tpus", "queued-resources"]
_NODE = ["gcloud", "compute", "tpus", "tpu-vm"]


def create(s: Settings) -> Command:
    """Ask for the slice; the node takes the name of the request."""
    kind = [f"--accelerator-type={s.accelerator_type}", f"--runtime-version={s.runtime_version}"]
    spot = ["--spot"] if s.spot else []
    return [*_QUEUE, "create", s.name, f"--node-id={s.name}", *_place(s), *kind, *spot, "--quiet"]


def describe(s: Settings) -> Command:
    """The request, as JSON."""
    return [*_QUEUE, "describe", s.name, *_place(s), "--format=json", "--quiet"]


def delete(s: Settings) -> Command:
    """Delete the request in whatever state; --force deletes its nodes first."""
    return [*_QUEUE, "delete", s.name, *_place(s), "--force", "--quiet"]


def describe_node(s: Settings) -> Command:
    """The node, as JSON: its state, and one network endpoint per worker."""
    return [*_NODE, "describe", s.name, *_place(s), "--format=json", "--quiet"]


def ssh(s: Settings, remote: Sequence[str], worker: str = "all") -> Command:
    """Run a program on workers.

    What arrives there is read by a shell, as always with ssh, so its arguments are quoted for one; on this
    side no shell is involved.
    """
    return [
        *_NODE, "ssh", s.name, *_place(s), f"--worker={worker}", f"--command={shlex.join(remote)}", "--quiet",
    ]  # fmt: skip


def fetch(s: Settings, worker: int, remote: str, local: str) -> Command:
    """Copy one file of one worker here; more than one worker at a time is not possible in this direction."""
    return [*_NODE, "scp", f"{s.name}:{remote}", local, *_place(s), f"--worker={worker}", "--quiet"]


def bucket_list(pattern: str) -> Command:
    """Names of the objects that a pattern matches."""
    return ["gcloud", "storage", "ls", pattern]


def bucket_copy(source: str, target: str) -> Command:
    """Copy one object or file. An object appears whole or not at all."""
    return ["gcloud", "storage", "cp", source, target]


def _place(s: Settings) -> list[str]:
    return [f"--project={s.project}", f"--zone={s.zone}"]
