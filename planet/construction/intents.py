"""Intent -> diff: what a person asks for, and the changes of the state that are what was asked.

The diff is read off the oracle's end state, and checked by applying it through the tools and grading what
comes of it.
"""

from typing import Any

from planet.author.llm.prompt import message
from planet.construction.diff import NEW, SHAPE, read, written
from planet.construction.ground import Ground
from planet.construction.sample import Sample, answered
from planet.construction.tables_shown import shown_table
from planet.records.task import Edit, Task
from planet.records.world import Resource
from planet.tasks.grow import TURNS
from planet.world.database import quote
from planet.world.session import Session

SYSTEM = (
    "You work in the systems of a company. You are shown its policies, its records and what somebody asks "
    "for. Work out which records must change, those that the policies ask for included, and change nothing "
    "else."
)
State = dict[str, dict[str, tuple[Any, ...]]]
"""Table -> id -> row."""


def intent(ground: Ground, task: Task) -> Sample | None:
    """The sample of one task; None when the task asks for no change."""
    tables = [ground.world.layout.resource(name) for name in ground.world.slice]
    session = Session(ground.world, ground.key, turns=TURNS[ground.brief.profile])
    try:
        session.begin(task)
        start = _state(session, tables)
        for call in task.key.oracle:
            session.call(call.tool, call.arguments)
        edits = _difference(start, _state(session, tables), tables)
    finally:
        session.close()
    if not edits:
        return None
    involved = {*task.key.facets.resources, *(edit.table for edit in edits)}
    question = _question(ground, task, [t for t in tables if t.name in involved], start, edits)
    asked = [message("system", SYSTEM), message("user", question)]
    return Sample(
        kind="intent_to_diff",
        world_id=ground.world.id,
        link=None,
        validator=None,
        messages=answered(asked, written(edits)),
    )


def _question(
    ground: Ground, task: Task, tables: list[Resource], start: State, edits: tuple[Edit, ...]
) -> str:
    pages = "\n".join(f"- {page.title}: {page.body}" for page in ground.world.documents)
    blocks = [f"Policies of {ground.world.company.name}:\n{pages}"]
    for table in tables:
        rows = start[table.name]
        wanted = {edit.key for edit in edits if edit.table == table.name} & rows.keys()
        wanted |= _mentioned(task, table, rows) | _listed(task, table, rows)
        wanted |= rows.keys() & {call.arguments.get("id") for call in task.key.oracle}  # those on the way
        wanted |= rows.keys() & {edit.key for edit in task.key.delta if edit.table == table.name}
        wanted |= rows.keys() & {a.where.get("id") for a in task.key.assertions if a.table == table.name}
        blocks.append(shown_table(table, rows.values(), wanted))
    return "\n\n".join([*blocks, f"Request of the {task.view.role}: {task.view.instruction}", SHAPE])


def _mentioned(task: Task, table: Resource, rows: dict[str, tuple[Any, ...]]) -> set[str]:
    """Ids of the rows that the instruction names."""
    names = [c.name for c in table.columns]
    return {
        key
        for key, row in rows.items()
        for mention in task.key.mentions
        if mention.table == table.name
        and all(dict(zip(names, row, strict=True)).get(c) == v for c, v in mention.where.items())
    }


def _listed(task: Task, table: Resource, rows: dict[str, tuple[Any, ...]]) -> set[str]:
    """Ids of the rows among which the plans search by equality: they have to be told apart."""
    places = {c.name: place for place, c in enumerate(table.columns)}
    found = set()
    for call in (*task.key.oracle, *task.key.alternative):
        filters = call.arguments.get("filters", ()) if call.tool == f"search_{table.name}" else ()
        equal = [(places[f["column"]], f["value"]) for f in filters if f["op"] == "="]
        found |= {key for key, row in rows.items() if equal and all(row[p] == v for p, v in equal)}
    return found


def check_intent(sample: Sample, ground: Ground, task: Task) -> str | None:
    """Carry out the sample's diff through the tools; why it does not pass, or None."""
    session = Session(ground.world, ground.key, turns=TURNS[ground.brief.profile])
    try:
        session.begin(task)
        for edit in read(sample.answer):
            arguments = {**edit.values, **({} if edit.op == "insert" else {"id": edit.key})}
            result = session.call(f"update_{edit.table}", arguments)
            if not result.ok:
                return f"an edit cannot be carried out: {result.error}"
        session.finish("done", "answer")
        grade = session.grade()
    finally:
        session.close()
    return None if grade.all_pass else f"the diff earns {grade.reward:.2f} and not all passes"


def _state(session: Session, tables: list[Resource]) -> State:
    state: State = {}
    for table in tables:
        rows = session.connection.execute(f'SELECT * FROM {quote(table.name)} ORDER BY "id"')
        state[table.name] = {row[0]: row for row in rows}
    return state


def _difference(start: State, end: State, tables: list[Resource]) -> tuple[Edit, ...]:
    """Changed cells and new rows, table by table."""
    edits = []
    for table in tables:
        before = start[table.name]
        for key, row in end[table.name].items():
            cells = dict(zip(table.columns, row, strict=True))
            if key not in before:
                given = {c: v for c, v in cells.items() if c.type != "id" and v is not None}
                values = {c.name: _plain(c.type, v) for c, v in given.items()}
                edits.append(Edit(op="insert", table=table.name, key=NEW, values=values))
            elif row != before[key]:
                old = dict(zip(table.columns, before[key], strict=True))
                values = {c.name: _plain(c.type, v) for c, v in cells.items() if v != old[c]}
                edits.append(Edit(op="set", table=table.name, key=key, values=values))
    return tuple(edits)


def _plain(kind: str, value: Any) -> Any:
    """A stored value as the tools take it."""
    return bool(value) if kind == "bool" and value is not None else value
