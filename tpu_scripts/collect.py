"""Run directories copied here, from the bucket or from the workers."""

import re
from pathlib import Path

from tpu_scripts import gcloud, snapshot
from tpu_scripts.errors import GcloudError, SliceError
from tpu_scripts.launch import on_worker
from tpu_scripts.places import snapshot_of
from tpu_scripts.runner import Runner
from tpu_scripts.settings import Settings
from tpu_scripts.states import node_of


def collect(runner: Runner, settings: Settings, out: Path) -> list[Path]:
    """Put the run directory of every worker at `out`/worker-N, in place of an earlier copy; the directories.

    From the bucket, if the run has one: that works when the slice is gone too, and is as old as the snapshot.
    """
    if runner.dry_run:
        _show(runner, settings, out)
        return []
    out.mkdir(parents=True, exist_ok=True)
    bucket = settings.run.bucket
    numbers = _in_bucket(runner, bucket) if bucket else _on_workers(runner, settings)
    found = []
    for number in numbers:
        file = out / f".worker-{number}.tar"
        try:
            runner.ask(_copy(settings, number, file), patience=None)
            snapshot.unpack(file, out / f"worker-{number}")
        finally:
            file.unlink(missing_ok=True)
        found.append(out / f"worker-{number}")
    return found


def _in_bucket(runner: Runner, bucket: str) -> list[int]:
    """Numbers of the workers that have a snapshot in the bucket."""
    try:
        listed = runner.ask(gcloud.bucket_list(f"{bucket}/worker-*.tar"))
    except GcloudError as error:
        if error.not_found:
            raise SliceError(f"{bucket}: holds no snapshot; launch with this --run-dir, and wait") from None
        raise
    return sorted(int(number) for number in re.findall(r"/worker-(\d+)\.tar\b", listed))


def _on_workers(runner: Runner, settings: Settings) -> list[int]:
    """Have workers take a snapshot, one of them where they share the run directory; their numbers."""
    node = node_of(runner, settings)
    if node is None:
        raise SliceError(f"{settings.name}: no such slice, and its run was not kept in a bucket")
    runner.ask(_take(settings), patience=None)
    return list(range(1 if settings.shared_run else node.workers))


def _take(settings: Settings) -> gcloud.Command:
    shared = [] if settings.shared_run is None else ["--shared", settings.shared_run]
    remote = on_worker(settings, ["snapshot", "--run-dir", settings.run.local, *shared])
    return gcloud.ssh(settings, remote, worker="0" if shared else "all")


def _copy(settings: Settings, number: int, file: Path) -> gcloud.Command:
    if settings.run.bucket:
        return gcloud.bucket_copy(snapshot_of(settings.run.bucket, number), str(file))
    return gcloud.fetch(settings, number, f"{settings.directory}/{settings.run.local}.tar", str(file))


def _show(runner: Runner, settings: Settings, out: Path) -> None:
    if settings.run.bucket:
        runner.ask(gcloud.bucket_list(f"{settings.run.bucket}/worker-*.tar"))
    else:
        runner.ask(gcloud.describe_node(settings))
        runner.ask(_take(settings))
    runner.ask(_copy(settings, 0, out / ".worker-0.tar"))
    runner.say("# the last one for every worker")
