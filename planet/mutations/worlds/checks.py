"""V09: hidden checks that are no single bounded SELECT over the world's own columns."""

from random import Random

from planet.construction.ground import Ground
from planet.mutations.worlds.change import Made, Way, any_rule, with_rule, with_sql
from planet.mutations.worlds.proposed import A_PROPOSAL, proposed
from planet.records.world import Invariant
from planet.world.database import quote


def _text(*texts: str) -> Way:
    def way(ground: Ground, rng: Random) -> Made:
        return with_rule(ground, any_rule(ground, rng), sql=rng.choice(texts))

    return way


def writes(ground: Ground, rng: Random) -> Made:
    """A statement that changes rows or tables."""
    rule = any_rule(ground, rng)
    table, column = quote(rule.table), quote(rule.column)
    statements = [
        f"DELETE FROM {table}",
        f"UPDATE {table} SET {column} = NULL",
        f'INSERT INTO {table} ("id") VALUES (1)',
        f"DROP TABLE {table}",
        "CREATE TABLE x (y)",
    ]
    return with_rule(ground, rule, sql=rng.choice(statements))


def outside_function(ground: Ground, rng: Random) -> Made:
    """A call of a function that tells the time, draws lots, or reaches outside."""
    rule = any_rule(ground, rng)
    calls = ["random() > 0", "date('now') > ''", "hex('a') = ''", "load_extension('x') = ''", "randomblob(9)"]
    return with_rule(ground, rule, sql=f"{rule.sql} AND {rng.choice(calls)}")


def _too_much(rule: Invariant) -> str:
    crossed = ", ".join(f"{quote(rule.table)} t{n}, {quote(rule.effect_table)} c{n}" for n in range(9))
    return f"SELECT count(*) FROM {crossed}"


CHECKS: dict[str, Way] = {
    A_PROPOSAL: proposed("V09"),
    "a write": writes,
    "a second statement": with_sql(lambda rule: f"{rule.sql}; SELECT 1"),
    "a comment": with_sql(lambda rule: f"{rule.sql} -- {rule.id}"),
    "no SQL": _text("records that need attention", "", "SELECT", "SELECT\x00", "(SELECT 1"),
    "a pragma or an attached file": _text("PRAGMA table_list", "ATTACH 'x' AS y", "VACUUM"),
    "an unknown column": with_sql(lambda rule: f"{rule.sql} AND p.shoe_size > 4"),
    "an unknown table": with_sql(
        lambda rule: rule.sql.replace(quote(rule.table), quote(f"{rule.table}_archive"))
    ),
    "a name taken for a text": with_sql(lambda rule: f"{rule.sql} AND \"shoe_size\" <> 'x'"),
    "the tables of SQLite": with_sql(
        lambda rule: f"SELECT m.name FROM sqlite_master m, {quote(rule.table)} p"
    ),
    "the documents": with_sql(lambda rule: f'SELECT p."id" FROM {quote(rule.table)} p, documents'),
    "the row number": with_sql(lambda rule: f"SELECT p.rowid FROM {quote(rule.table)} p"),
    "a function outside the list": outside_function,
    "recursion": _text(
        "SELECT n FROM (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT n FROM r)"
    ),
    "a table made of a select": with_sql(
        lambda rule: f'SELECT c."id" FROM (SELECT "id" || "id" AS "id" FROM {quote(rule.table)}) c'
    ),
    "too many steps": with_sql(_too_much),
}
