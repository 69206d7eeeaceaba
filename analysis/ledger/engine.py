"""Opening the database: SQLite settings that survive kill -9 and two writers, and the schema version."""

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from analysis.errors import LedgerError
from analysis.ledger.rows import SCHEMA_VERSION
from analysis.ledger.tables import METADATA, SCHEMA_TABLE
from analysis.ledger.views import VIEWS

BUSY_SECONDS = 30.0
"""How long a writer waits for another one."""

_CREATE_LOCK = 7_316_201  # PostgreSQL advisory lock: two processes must not create the tables at once


def open_engine(url: str | Path, create: bool) -> Engine:
    """An engine on a database whose schema is this version's.

    url: SQLAlchemy URL, or the path of a SQLite file.
    create: make tables that are missing; otherwise a missing ledger is a LedgerError.
    """
    engine = _engine(url, create)
    try:
        if create:
            with engine.execution_options(ledger_write=True).begin() as connection:
                _create(connection)
        with engine.connect() as connection:
            _check(connection)
        if create and engine.dialect.name == "sqlite":
            _use_wal(engine)  # only now: a database of somebody else is left as it is
    except (DBAPIError, sqlite3.Error) as error:
        engine.dispose()
        raise LedgerError(f"cannot open the ledger {engine.url}: {reason(error)}") from error
    except LedgerError:
        engine.dispose()
        raise
    return engine


def reason(error: DBAPIError | sqlite3.Error) -> str:
    """What the database said, in one line."""
    return " ".join(str(error.orig if isinstance(error, DBAPIError) else error).split())


def _engine(url: str | Path, create: bool) -> Engine:
    try:
        parsed = make_url(str(url) if "://" in str(url) else f"sqlite:///{url}")
    except ArgumentError as error:
        raise LedgerError(f"{url} is no database URL; write e.g. sqlite:///runs/x/ledger.sqlite") from error
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")  # the driver of the extra `cluster`
    local = parsed.get_backend_name() == "sqlite"
    if local:
        _check_file(parsed.database, create)
    try:
        engine = create_engine(parsed, connect_args={"timeout": BUSY_SECONDS} if local else {})
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise LedgerError(
            f"no driver for the ledger {parsed}: {error}; install it first, PostgreSQL's with the extra "
            "cluster: pip install -e '.[cluster]'"
        ) from error
    except ArgumentError as error:
        raise LedgerError(f"{parsed} is no database URL; write e.g. sqlite:///x/ledger.sqlite") from error
    if local:
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _check_file(file: str | None, create: bool) -> None:
    if not file or file == ":memory:":
        return
    if not create and not Path(file).is_file():
        raise LedgerError(f"there is no ledger at {file}; give the folder of a run that has begun")
    if create and not Path(file).parent.is_dir():
        raise LedgerError(f"the folder {Path(file).parent} does not exist; make it, then open the ledger")


def _configure_sqlite(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # the driver must not begin transactions on its own
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={int(BUSY_SECONDS * 1000)}")
    cursor.execute("PRAGMA synchronous=NORMAL")  # with WAL: a killed process loses nothing it committed
    cursor.close()


def _use_wal(engine: Engine) -> None:
    """Switch the file to write-ahead logging, outside of any transaction; it stays so."""
    # The switch needs the whole file and, unlike a write, does not wait for a process that is creating it.
    deadline = time.monotonic() + BUSY_SECONDS
    connection = engine.raw_connection()
    try:
        while True:
            try:
                connection.cursor().execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
    finally:
        connection.close()


def _begin_sqlite(connection: Connection) -> None:
    # A writer takes the lock at once: a read lock that is raised later fails instead of waiting.
    writes = connection.get_execution_options().get("ledger_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _create(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _CREATE_LOCK})
    if inspect(connection).get_table_names():
        return
    METADATA.create_all(connection, checkfirst=False)
    for statement in VIEWS.values():
        connection.exec_driver_sql(statement)
    connection.execute(SCHEMA_TABLE.insert(), {"version": SCHEMA_VERSION})


def _check(connection: Connection) -> None:
    if not inspect(connection).has_table(SCHEMA_TABLE.name):
        raise LedgerError(f"{connection.engine.url} is a database but not a ledger; choose another URL")
    found = connection.execute(SCHEMA_TABLE.select()).scalar_one()
    if found != SCHEMA_VERSION:
        raise LedgerError(
            f"{connection.engine.url} has ledger schema {found}, this version reads schema {SCHEMA_VERSION}; "
            "analyse it with the version that wrote it, or start a new run"
        )
