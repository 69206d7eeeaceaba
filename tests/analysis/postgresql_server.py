"""A PostgreSQL server for the tests: in a temporary folder, on a free port of the loopback, unprivileged.

Debian's packages put the programs in /usr/lib/postgresql/VERSION/bin. The server refuses to run as root, so a
test that root started hands it to another user.
"""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

USERS = ("postgres", "nobody")
PASSWORD = "only-for-this-test"


def programs() -> Path | None:
    """The folder of initdb and postgres; None when they are not installed."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: p.parent.name, reverse=True)
    found = shutil.which("initdb")
    folders = [*versions, *([Path(found).parent] if found else [])]
    return next((f for f in folders if (f / "initdb").exists() and (f / "postgres").exists()), None)


def unprivileged() -> str | None:
    """Who may run the server: None means as we are; a skip when we are root and there is nobody else."""
    if os.geteuid() != 0:
        return None
    for name in USERS:
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    pytest.skip(f"we are root, the server refuses root, and there is no user {' or '.join(USERS)}")


@contextmanager
def server() -> Iterator[str]:
    """The URL of a running server, without a database; skips with the reason where there is none."""
    if find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed: pip install -e '.[cluster]'")
    where = programs()
    if where is None:
        pytest.skip("no PostgreSQL server is installed: apt-get install postgresql")
    user = unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="ledger-postgresql-"))
    try:
        if user is not None:
            shutil.chown(folder, user, pwd.getpwnam(user).pw_gid)
        _initialise(where, folder, user)
        with _running(where, folder, user) as port:
            yield f"postgresql+psycopg://tester:{PASSWORD}@127.0.0.1:{port}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _initialise(where: Path, folder: Path, user: str | None) -> None:
    (folder / "password").write_text(PASSWORD)
    options = ["-D", str(folder / "data"), "-U", "tester", "-A", "scram-sha-256", "-N", "-E", "UTF8"]
    options += ["--locale", "C.UTF-8", "--pwfile", str(folder / "password")]
    _call([str(where / "initdb"), *options], folder, user)


@contextmanager
def _running(where: Path, folder: Path, user: str | None) -> Iterator[int]:
    port = _free_port()
    control = [str(where / "pg_ctl"), "-D", str(folder / "data"), "-w", "-t", "60"]
    settings = f"-p {port} -h 127.0.0.1 -k {folder} -c fsync=off -c synchronous_commit=off"
    _call([*control, "-l", str(folder / "log"), "-o", settings, "start"], folder, user)
    try:
        yield port
    finally:
        _call([*control, "-m", "immediate", "stop"], folder, user)


def _call(command: list[str], folder: Path, user: str | None) -> None:
    done = subprocess.run(
        command, cwd=folder, user=user, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def new_database(url: str, name: str) -> str:
    """An empty database on a server; its URL."""
    from sqlalchemy import create_engine, text

    engine = create_engine(f"{url}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f'CREATE DATABASE "{name}"'))
    engine.dispose()
    return f"{url}/{name}"
