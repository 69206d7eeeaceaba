"""The start of an episode and its grade, beside the statements that either takes."""

from planet.bench.row import Row
from planet.bench.spread import beside
from planet.bench.stage import Stage
from planet.records.frozen import Scalar
from planet.world.database import quote


def episode_rows(stage: Stage, repeats: int) -> list[Row]:
    """A new episode (bound 5) and a grade."""
    return [_begun(stage, repeats), _graded(stage, max(1, repeats // 10))]


def _begun(stage: Stage, repeats: int) -> Row:
    (edit,) = stage.task.key.delta
    sets = ", ".join(f"{quote(column)} = ?" for column in edit.values)
    sql, values = f'UPDATE {quote(edit.table)} SET {sets} WHERE "id" = ?', (*edit.values.values(), edit.key)

    def bare() -> None:
        stage.raw.execute("SAVEPOINT s")
        stage.raw.execute(sql, values)
        stage.raw.execute("ROLLBACK TO s")
        stage.raw.execute("RELEASE s")

    stage.reset()
    ours, raw = beside(lambda: stage.session.begin(stage.task), bare, repeats)
    return Row(what="new episode", ours=ours, raw=raw, raw_is="savepoint, update, rollback", bound=5.0)


def _graded(stage: Stage, repeats: int) -> Row:
    stage.reset()
    for call in stage.task.key.oracle:
        stage.session.call(call.tool, call.arguments)
    statements = _checks(stage)

    def bare() -> None:
        for sql, values in statements:
            stage.raw.execute(sql, values).fetchall()

    ours, raw = beside(stage.session.grade, bare, repeats)
    return Row(what="grade", ours=ours, raw=raw, raw_is=f"its {len(statements)} checks")


def _checks(stage: Stage) -> list[tuple[str, tuple[Scalar, ...]]]:
    """The task's assertions and the world's invariants as statements."""
    found: list[tuple[str, tuple[Scalar, ...]]] = []
    for assertion in stage.task.key.assertions:
        shown = quote(assertion.column) if assertion.column else "1"
        where = " AND ".join(f"{quote(column)} IS ?" for column in assertion.where) or "1"
        sql = f"SELECT {shown} FROM {quote(assertion.table)} WHERE {where} LIMIT 2"
        found.append((sql, tuple(assertion.where.values())))
    return found + [(invariant.sql, ()) for invariant in stage.session.image.key.invariants]
