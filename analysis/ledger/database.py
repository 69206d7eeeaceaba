"""The ledger: one transaction per controller step, typed reads, truncation to a step, an ordered dump."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, func, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from analysis.errors import LedgerError
from analysis.ledger.engine import open_engine, reason
from analysis.ledger.rows import ROW_TYPES, ClockRow, Row, RunRow, StepRow
from analysis.ledger.tables import TABLES
from planet.identity import canonical_json

AnyRow = TypeVar("AnyRow", bound=Row)


class Transaction:
    """Rows that become visible together, or not at all. Made by `Ledger.transaction`."""

    def __init__(self) -> None:
        self._rows: dict[type[Row], list[Row]] = {}

    def add(self, *rows: Row) -> None:
        """Put rows of any tables into the transaction; nothing is written before it ends."""
        for row in rows:
            self._rows.setdefault(type(row), []).append(row)

    def check(self) -> None:
        """Raise LedgerError when rows come without the StepRow of their step, which says that it is whole."""
        begun = {(row.run_id, row.step) for row in self._rows.get(StepRow, []) if isinstance(row, StepRow)}
        for row_type, rows in self._rows.items():
            if row_type is RunRow:
                continue
            for row in rows:
                step = (row.run_id, getattr(row, "step", None))
                if step not in begun:
                    raise LedgerError(
                        f"{row_type.table} row of step {step[1]} has no StepRow in its transaction; "
                        "write everything of a controller step in one transaction, its StepRow included"
                    )

    def write(self, connection: Connection) -> None:
        """Insert all rows, table by table."""
        for row_type in ROW_TYPES:
            rows = self._rows.get(row_type)
            if rows:
                connection.execute(TABLES[row_type].insert(), [dict(row) for row in rows])


class Ledger:
    """The ledger at `url`, a SQLAlchemy URL or the path of a SQLite file.

    create: make the tables when they are missing; readers pass False and get a LedgerError instead.
    """

    def __init__(self, url: str | Path, create: bool = True) -> None:
        self._engine = open_engine(url, create)
        self.url = str(self._engine.url)  # without its password

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Collect rows, and write them in one transaction when the block ends without an error."""
        transaction = Transaction()
        yield transaction
        transaction.check()
        with self._writing() as connection:
            transaction.write(connection)

    def runs(self) -> list[RunRow]:
        """All runs in the database, by id."""
        with self._reading() as connection:
            found = connection.execute(select(TABLES[RunRow])).mappings().all()
            return sorted((RunRow(**row) for row in found), key=lambda run: run.run_id)

    def rows(
        self, row_type: type[AnyRow], run_id: str, after: int | None = None, **equals: Any
    ) -> list[AnyRow]:
        """Rows of one table of a run, ordered by key.

        after: of later controller steps only. equals: filters by columns, e.g. `purpose="test"`.
        """
        table = TABLES[row_type]
        statement: Select[Any] = select(table).where(table.c.run_id == run_id)
        for name, value in equals.items():
            statement = statement.where(table.c[name] == value)
        if after is not None:
            statement = statement.where(table.c.step > after)
        with self._reading() as connection:
            found = connection.execute(statement).mappings().all()
            # Sorted here: databases collate text differently, and a dump must not depend on it.
            return sorted((row_type(**row) for row in found), key=_key)

    def columns(self, row_type: type[Row], run_id: str, *names: str) -> list[tuple[Any, ...]]:
        """Some columns of one table of a run, ordered by key: what is wide and not wanted is not read."""
        table, width = TABLES[row_type], len(row_type.key)
        chosen = [table.c[name] for name in (*row_type.key, *names)]
        statement = select(*chosen).where(table.c.run_id == run_id)
        with self._reading() as connection:
            found = connection.execute(statement).all()
        return [tuple(row[width:]) for row in sorted(found, key=lambda row: tuple(row[:width]))]

    def query(self, sql: str, **parameters: Any) -> list[dict[str, Any]]:
        """Rows of a SELECT, e.g. over a view; parameters are written `:name`."""
        with self._reading() as connection:
            found = connection.execute(text(sql), parameters).mappings().all()
        return [{name: _plain(value) for name, value in row.items()} for row in found]

    def last_step(self, run_id: str) -> int | None:
        """The newest controller step of a run; None before the first."""
        table = TABLES[StepRow]
        with self._reading() as connection:
            return connection.execute(select(func.max(table.c.step)).where(table.c.run_id == run_id)).scalar()

    def truncate_after(self, run_id: str, step: int) -> int:
        """Delete every row of later steps, so that the run can go on from `step`; -1 keeps only the RunRow.

        Returns the number of steps deleted.
        """
        deleted = 0
        with self._writing() as connection:
            for row_type, table in TABLES.items():
                if row_type is not RunRow:
                    gone = connection.execute(
                        table.delete().where(table.c.run_id == run_id, table.c.step > step)
                    ).rowcount
                    deleted = gone if row_type is StepRow else deleted
        return deleted

    def dump(self, run_id: str) -> list[str]:
        """Every row of a run as a line of canonical JSON, ordered, clocks apart: equal runs dump equal."""
        return [
            canonical_json({"table": row_type.table, **row.model_dump(mode="json")})
            for row_type in ROW_TYPES
            if row_type is not ClockRow
            for row in self.rows(row_type, run_id)
        ]

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except DBAPIError as error:
            raise LedgerError(f"the ledger {self.url} could not be read: {reason(error)}") from error
        except UnicodeEncodeError as error:
            raise LedgerError(
                f"{error.object!r:.60} is no text that a ledger could hold; write another"
            ) from error
        except (ValueError, RecursionError) as error:  # a value that is no JSON, a row that is no record
            told = " ".join(str(error).split())
            raise LedgerError(
                f"the ledger {self.url} was changed or damaged: {told:.200}; restore it, or run anew"
            ) from error

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        try:
            with (
                self._engine.connect().execution_options(ledger_write=True) as connection,
                connection.begin(),
            ):
                yield connection
        except IntegrityError as error:
            raise LedgerError(
                f"the ledger {self.url} refused rows: {reason(error)}; "
                "a step is written once, call truncate_after before writing it again"
            ) from error
        except DBAPIError as error:
            raise LedgerError(f"the ledger {self.url} could not be written: {reason(error)}") from error


def _plain(value: Any) -> Any:
    """PostgreSQL gives sums and averages as decimals, SQLite as int and float: the latter are meant."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value.as_tuple().exponent == 0 else float(value)


def _key(row: Row) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in row.key)
