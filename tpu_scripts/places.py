"""Where a run is kept: in a directory of every worker, and, if it has a bucket, as snapshots there."""

import re
from typing import NamedTuple

from tpu_scripts.errors import UseError

_BUCKET = r"gs://[a-z0-9][a-z0-9._-]{1,61}[a-z0-9](/[\w.-]+)+"
_RELATIVE = r"[A-Za-z0-9_][\w.-]*(/[\w][\w.-]*)*"


class RunPlace(NamedTuple):
    """The two places of a run."""

    local: str  # path in the clone on a worker, e.g. runs/first
    bucket: str | None  # gs:// folder of its snapshots, one per worker; None: only on the workers

    @property
    def name(self) -> str:
        """Last part of the path."""
        return self.local.rsplit("/", 1)[-1]


def run_place(text: str) -> RunPlace:
    """`runs/first` or `gs://bucket/runs/first`; UseError for anything else."""
    if re.fullmatch(_BUCKET, text, re.ASCII):
        return RunPlace("runs/" + _safe(text.rsplit("/", 1)[-1], text), text)
    return RunPlace(relative(text, "run_dir"), None)


def relative(text: str, what: str) -> str:
    """A path inside the clone, unchanged; UseError when it could lead elsewhere or be taken for a flag."""
    if not re.fullmatch(_RELATIVE, text, re.ASCII):
        raise UseError(
            f"{what}: {text!r} is not allowed; give a path within the repository, such as runs/first"
            + (", or gs://BUCKET/PATH" if what == "run_dir" else "")
        )
    return text


def snapshot_of(bucket: str, worker: int) -> str:
    """The object that holds a worker's snapshot."""
    return f"{bucket}/worker-{worker}.tar"


def _safe(name: str, whole: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_][\w.-]*", name, re.ASCII):
        raise UseError(f"run_dir: {whole!r} is not allowed; let its last part begin with a letter or digit")
    return name
