"""The SQL tables, derived from the row records: the records are the one place where a column is declared."""

import json
import types
from typing import Any, Literal, Union, get_args, get_origin

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, MetaData, String, Table, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

from analysis.ledger.rows import ROW_TYPES, Row
from planet.identity import canonical_json


class CanonicalJson(TypeDecorator[Any]):
    """JSON as canonical text, so that equal values are equal rows on every database."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        return None if value is None else canonical_json(value)

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        return None if value is None else json.loads(value)


_SCALARS: dict[Any, type[TypeEngine[Any]]] = {str: String, int: BigInteger, float: Double, bool: Boolean}


def _column(name: str, annotation: Any, key: tuple[str, ...]) -> Column[Any]:
    nullable = False
    if get_origin(annotation) in (Union, types.UnionType):
        members = [a for a in get_args(annotation) if a is not type(None)]
        nullable, annotation = len(members) < len(get_args(annotation)), members[0]
    kind = String if get_origin(annotation) is Literal else _SCALARS.get(annotation, CanonicalJson)
    return Column(name, kind(), primary_key=name in key, nullable=nullable, autoincrement=False)


def _table(row_type: type[Row], metadata: MetaData) -> Table:
    columns = [_column(n, field.annotation, row_type.key) for n, field in row_type.model_fields.items()]
    table = Table(row_type.table, metadata, *columns, sqlite_with_rowid=False)
    if "step" in table.c and row_type.key[:2] != ("run_id", "step"):
        Index(f"{row_type.table}_by_step", table.c.run_id, table.c.step)
    return table


METADATA = MetaData()
TABLES: dict[type[Row], Table] = {row_type: _table(row_type, METADATA) for row_type in ROW_TYPES}
SCHEMA_TABLE = Table("ledger_schema", METADATA, Column("version", BigInteger, nullable=False))
