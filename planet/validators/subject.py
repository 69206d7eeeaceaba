"""The world under validation, with what several validators need built once and on demand."""

import sqlite3
from functools import cached_property

from planet.catalog import Catalog
from planet.records.world import Resource, World, WorldKey
from planet.world.database import DOCUMENTS, Guard, create_table, insert_documents, insert_rows
from planet.world.tools import Tool, compile_tools
from planet.world.untrusted_sql import bound

LONGEST_VALUE = 100_000
"""Bytes of a text that a check may build: doubling one a few dozen times takes memory, not steps."""


class Subject:
    """World, key and catalog of one validation. A validator leaves the databases as it found them."""

    def __init__(self, world: World, key: WorldKey, catalog: Catalog) -> None:
        self.world, self.key, self.catalog = world, key, catalog
        self.guard = Guard()

    @cached_property
    def resources(self) -> dict[str, Resource]:
        """Tables by name."""
        return {r.name: r for r in self.world.layout.resources}

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """Every tool that the tables give, ready to run."""
        return compile_tools(self.world)

    @cached_property
    def tables(self) -> sqlite3.Connection:
        """Tables and seed rows, untrusted SQL under `guard`; raises sqlite3.Error when they do not load.

        The limits are a session's, or tighter: what passes here runs there.
        """
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.set_authorizer(self.guard)
        bound(connection)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        connection.execute("BEGIN")
        for resource in self.world.layout.resources:
            connection.execute(create_table(resource))
            insert_rows(connection, resource, self.world.seed.rows.get(resource.name, ()))
        connection.execute("COMMIT")
        return connection

    @cached_property
    def pages(self) -> sqlite3.Connection:
        """The documents alone; of two with one id, the last."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        self.add_pages(connection)
        return connection

    def add_pages(self, connection: sqlite3.Connection) -> None:
        """Create the table of documents on `connection`. It loads whatever V11 may find wrong with them."""
        connection.execute(DOCUMENTS)
        insert_documents(connection, {d.id: d for d in self.world.documents}.values())

    def close(self) -> None:
        """Free the databases that were built."""
        for name in ("tables", "pages"):
            if name in self.__dict__:
                self.__dict__[name].close()
