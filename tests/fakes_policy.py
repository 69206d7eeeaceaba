"""A toy world of tools, kept in dictionaries: records of two resources, six families of tasks, an oracle
for each.

It stands in for a world of PLANET where a test is about the policy alone. Its tools, results and
instructions have the same form; its grade is the share of expected values that the final state holds.
"""

import itertools
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from planet.identity import stream
from planet.records.episode import Call, Ended, ToolResult, Trajectory
from planet.records.view import TaskView, ToolSpec
from policy.demonstration import Demonstration
from policy.episode import EpisodeRequest
from policy.vocabulary import Vocabulary, build

RESOURCES = ("ticket", "invoice", "order", "contract", "shipment", "return_case")
PARENTS = ("customer", "supplier", "store")
ENUMS = {
    "status": ("open", "in_progress", "closed", "on_hold"),
    "priority": ("low", "normal", "high", "urgent"),
    "region": ("north", "south", "east", "west"),
    "tier": ("basic", "plus", "vip"),
}
CHILD_COLUMNS = ("id", "name", "status", "priority", "amount", "due_date")
PARENT_COLUMNS = ("id", "name", "status", "region", "tier")
FAMILIES = ("direct", "by_name", "disambiguate", "follow", "conditional", "create", "policy")
WORDS = (
    *RESOURCES, *PARENTS, *ENUMS, *CHILD_COLUMNS, *(w for values in ENUMS.values() for w in values),
    "support", "lead", "set", "named", "above", "when", "otherwise", "create", "as", "says", "policy",
    "becomes", "region",
)  # fmt: skip
GIVEN, FAMILY = (
    ("Ann", "Bo", "Cy", "Di", "Eva", "Finn", "Gus", "Hal"),
    ("Lee", "Ray", "Fox", "Kim", "Roe", "Poe"),
)


def toy_vocabulary(rows: int = 256) -> Vocabulary:
    """A vocabulary of the toy's words."""
    return build(WORDS, rows)


def toy_tools(child: str, parent: str) -> tuple[ToolSpec, ...]:
    """The ten tools of a toy world."""
    specs = [
        _spec(f"{operation}_{resource}", operation, resource, columns)
        for resource, columns in ((child, (*CHILD_COLUMNS, f"{parent}_id")), (parent, PARENT_COLUMNS))
        for operation in ("search", "list", "get", "update")
    ]
    specs.append(_spec("search_documents", "search_documents", None, ("query",)))
    specs.append(_spec("get_document", "get_document", None, ("id",)))
    return tuple(specs)


def _spec(name: str, operation: Any, resource: str | None, columns: tuple[str, ...]) -> ToolSpec:
    named = {"search": ("filters", "page"), "list": ("page",), "get": ("id",)}.get(operation, columns)
    properties: dict[str, Any] = {column: {"type": "string"} for column in named}
    for column in properties:
        if column in ENUMS:
            properties[column]["enum"] = list(ENUMS[column])
        if column in ("amount", "page"):
            properties[column]["type"] = "number" if column == "amount" else "integer"
    parameters = {"type": "object", "properties": properties, "required": []}
    return ToolSpec(
        name=name,
        operation=operation,
        resource=resource,
        service=None,
        description=name,
        parameters=parameters,
    )


@dataclass
class ToySession:
    """An episode on a private copy of the records."""

    tables: dict[str, dict[str, dict[str, Any]]]
    documents: dict[str, tuple[str, str]]
    expected: list[tuple[str, dict[str, Any]]]  # a row of the table holds these values
    turns: int = 8
    calls: list[Call] = field(default_factory=list)
    trajectory: Trajectory | None = None

    @property
    def turns_left(self) -> int:
        return self.turns - len(self.calls)

    def call(self, tool: str | None, arguments: dict[str, Any]) -> ToolResult:
        try:
            payload, error = self._run(tool or "", arguments), None
        except (KeyError, ValueError, TypeError) as problem:
            payload, error = None, f"unknown value {problem}"
        self.calls.append(Call(tool=tool, arguments=arguments, payload=payload, error=error))
        return ToolResult(payload, error)

    def _run(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if tool == "search_documents":
            words = set(arguments["query"].split())
            rows = [{"id": k, "title": t} for k, (t, _) in self.documents.items() if words & set(t.split())]
            return {"rows": rows, "page": 1, "more": False}
        if tool == "get_document":
            title, body = self.documents[arguments["id"]]
            return {"id": arguments["id"], "title": title, "body": body}
        operation, resource = tool.split("_", 1)
        table = self.tables[resource]
        if operation == "get":
            return dict(table[arguments["id"]])
        if operation == "update":
            return self._update(resource, dict(arguments))
        rows = [
            row for row in table.values() if all(_holds(row, item) for item in arguments.get("filters", ()))
        ]
        shown = [{"id": row["id"], "label": row["name"], "status": row["status"]} for row in rows[:5]]
        return {"rows": shown, "page": 1, "more": len(rows) > 5}

    def _update(self, resource: str, values: dict[str, Any]) -> dict[str, Any]:
        table = self.tables[resource]
        columns = next(iter(table.values()))
        if not values or not values.keys() <= columns.keys():
            raise ValueError("column")
        if any(value not in ENUMS[c] for c, value in values.items() if c in ENUMS):
            raise ValueError("value")
        key = values.pop("id", None)
        if key is None:
            key = f"{resource[:3].upper()}-{len(table) + 1:04d}"
            table[key] = (
                dict.fromkeys(columns) | {"id": key, "name": f"New {resource}", "status": "open"} | values
            )
            return {"id": key, "created": True}
        table[key].update(values)
        return {"id": key, "created": False}

    def finish(self, answer: str | None, ended: Ended) -> Trajectory:
        self.trajectory = Trajectory(
            task_id="toy", world_id="toy", calls=tuple(self.calls), answer=answer, ended=ended
        )
        return self.trajectory

    def reward(self) -> float:
        """Share of expected rows that the state holds."""
        held = [
            any(wanted.items() <= row.items() for row in self.tables[t].values())
            for t, wanted in self.expected
        ]
        return sum(held) / len(held)


def _holds(row: dict[str, Any], item: dict[str, Any]) -> bool:
    have, value = row[item["column"]], item["value"]
    if item["op"] == "=":
        return have == value
    if item["op"] == "contains":
        return value in have
    return have is not None and ((have > value) if item["op"] == ">" else (have < value))


@dataclass(frozen=True)
class ToyTask:
    """A view, the way to open its session, and the oracle's calls."""

    family: str
    view: TaskView
    open: Callable[[], ToySession]
    plan: Callable[[ToySession], None]  # the oracle: makes its calls on a session

    def demonstration(self) -> Demonstration:
        session = self.open()
        self.plan(session)
        assert session.reward() == 1.0, (self.view.instruction, session.calls)
        return Demonstration(self.view, tuple(session.calls), "done")

    def request(self, name: str) -> EpisodeRequest:
        return EpisodeRequest(name, self.view, self.open)


def toy_task(seed: int, number: int, family: str, own: str | None = None) -> ToyTask:
    """One task in a world of its own; `own` is a resource to take instead of one of the toy's."""
    rng = stream(seed, "toy", number, family)
    child, parent = rng.choice(RESOURCES), rng.choice(PARENTS)
    child = own or child
    tables = {parent: _parents(rng, parent), child: {}}
    tables[child] = _children(rng, child, parent, list(tables[parent]))
    documents: dict[str, tuple[str, str]] = {}
    instruction, expected, plan = _FAMILIES[family](rng, child, parent, tables, documents)
    view = TaskView(
        task_id=f"toy-{seed}-{number}", world_id="toy", instruction=instruction, role="support_lead",
        tools=toy_tools(child, parent),
    )  # fmt: skip
    return ToyTask(family, view, lambda: ToySession(deepcopy(tables), documents, expected), plan)


def _person(rng: Random) -> str:
    return f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}"


def _parents(rng: Random, name: str) -> dict[str, dict[str, Any]]:
    people = rng.sample([f"{g} {f}" for g, f in itertools.product(GIVEN, FAMILY)], 8)
    people[1] = people[0]  # equal names, to be told apart by region
    rows = {}
    for number, person in enumerate(people, start=1):
        key = f"{name[:3].upper()}-{number:04d}"
        rows[key] = {
            "id": key, "name": person, "status": rng.choice(ENUMS["status"]),
            "region": rng.choice(ENUMS["region"]), "tier": rng.choice(ENUMS["tier"]),
        }  # fmt: skip
    first, second = list(rows)[:2]
    rows[second]["region"] = rng.choice([r for r in ENUMS["region"] if r != rows[first]["region"]])
    return rows


def _children(rng: Random, name: str, parent: str, parents: list[str]) -> dict[str, dict[str, Any]]:
    rows = {}
    for number in range(1, 9):
        key = f"{name[:3].upper()}-{number:04d}"
        rows[key] = {
            "id": key, "name": f"{_person(rng)} {number}", "status": rng.choice(ENUMS["status"]),
            "priority": rng.choice(ENUMS["priority"]), "amount": float(rng.randrange(20, 980)),
            "due_date": f"2026-0{rng.randrange(1, 10)}-1{rng.randrange(10)}",
            f"{parent}_id": rng.choice(parents),
        }  # fmt: skip
    return rows


def _other(rng: Random, column: str, now: str) -> str:
    return rng.choice([value for value in ENUMS[column] if value != now])


def _shown(text: str) -> str:
    return text.replace("_", " ")


def _direct(rng, child, parent, tables, documents):  # type: ignore[no-untyped-def]
    key, column = rng.choice(list(tables[child])), rng.choice(("status", "priority"))
    value = _other(rng, column, tables[child][key][column])
    text = f"set the {column} of {_shown(child)} {key} to {_shown(value)}"
    return (
        text,
        [(child, {"id": key, column: value})],
        lambda s: s.call(f"update_{child}", {"id": key, column: value}),
    )


def _named(rng, parent, row, where, tail):  # type: ignore[no-untyped-def]
    column = rng.choice(("status", "tier"))
    value = _other(rng, column, row[column])
    filters = [{"column": c, "op": "=", "value": row[c]} for c in where]
    text = f'set the {column} of the {parent} named "{row["name"]}" {tail} to {_shown(value)}'

    def plan(session: ToySession) -> None:
        found = session.call(f"search_{parent}", {"filters": filters})
        assert found.payload
        session.call(f"update_{parent}", {"id": found.payload["rows"][0]["id"], column: value})

    return text, [(parent, {"id": row["id"], column: value})], plan


def _by_name(rng, child, parent, tables, documents):  # type: ignore[no-untyped-def]
    return _named(rng, parent, rng.choice(list(tables[parent].values())[2:]), ("name",), "")


def _disambiguate(rng, child, parent, tables, documents):  # type: ignore[no-untyped-def]
    row = rng.choice(list(tables[parent].values())[:2])
    return _named(rng, parent, row, ("name", "region"), f"in region {row['region']}")


def _follow(rng, child, parent, tables, documents):  # type: ignore[no-untyped-def]
    key, column = rng.choice(list(tables[child])), rng.choice(("status", "tier"))
    target = tables[child][key][f"{parent}_id"]
    value = _other(rng, column, tables[parent][target][column])
    text = f"set the {column} of the {parent} of {_shown(child)} {key} to {_shown(value)}"

    def plan(session: ToySession) -> None:
        read = session.call(f"get_{child}", {"id": key})
        assert read.payload
        session.call(f"update_{parent}", {"id": read.payload[f"{parent}_id"], column: value})

    return text, [(parent, {"id": target, column: value})], plan


def _conditional(rng, child, parent, tables, documents):  # type: ignore[no-untyped-def]
    key = rng.choice(list(tables[child]))
    row, limit = tables[child][key], rng.randrange(100, 900)
    high, low = rng.sample([value for value in ENUMS["priority"] if value != row["priority"]], 2)
    above = row["amount"] > limit
    text = f"set the priority of {_shown(child)} {key} to {high} when the amount is above {limit} ,"
    text += f" otherwise to {low}"

    def plan(session: ToySession) -> None:
        filters = [{"column": "id", "op": "=", "value": key}, {"column": "amount", "op": ">", "value": limit}]
        session.call(f"search_{child}", {"filters": filters})
        session.call(f"update_{child}", {"id": key, "priority": high if above else low})

    return text, [(child, {"id": key, "priority": high if above else low})], plan


def _create(rng, child, parent, tables, documents):  # type: ignore[no-untyped-def]
    row = rng.choice(list(tables[parent].values())[2:])
    value = rng.choice(ENUMS["priority"])
    text = f'create a {_shown(child)} for the {parent} named "{row["name"]}" with priority {value}'
    filters = [{"column": "name", "op": "=", "value": row["name"]}]

    def plan(session: ToySession) -> None:
        found = session.call(f"search_{parent}", {"filters": filters})
        assert found.payload
        link = found.payload["rows"][0]["id"]
        session.call(f"update_{child}", {f"{parent}_id": link, "priority": value})

    wanted = {f"{parent}_id": row["id"], "priority": value, "name": f"New {child}"}
    return text, [(child, wanted)], plan


def _policy(rng, child, parent, tables, documents):  # type: ignore[no-untyped-def]
    key = rng.choice(list(tables[child]))
    target = tables[child][key][f"{parent}_id"]
    status = _other(rng, "status", tables[child][key]["status"])
    tier = _other(rng, "tier", tables[parent][target]["tier"])
    documents["DOC-01"] = (f"{_shown(child)} status policy", f"when the status of a {_shown(child)} becomes "
                           f"{_shown(status)} , set the tier of the {parent} to {tier}")  # fmt: skip
    documents["DOC-02"] = (
        f"{parent} region",
        f"the region of a {parent} is in the {rng.choice(ENUMS['region'])}",
    )
    text = f"set the status of {_shown(child)} {key} to {_shown(status)} as the policy says"

    def plan(session: ToySession) -> None:
        found = session.call("search_documents", {"query": f"{_shown(child)} status policy"})
        assert found.payload
        session.call("get_document", {"id": found.payload["rows"][0]["id"]})
        read = session.call(f"get_{child}", {"id": key})
        assert read.payload
        session.call(f"update_{child}", {"id": key, "status": status})
        session.call(f"update_{parent}", {"id": read.payload[f"{parent}_id"], "tier": tier})

    return text, [(child, {"id": key, "status": status}), (parent, {"id": target, "tier": tier})], plan


_FAMILIES = {
    "direct": _direct, "by_name": _by_name, "disambiguate": _disambiguate, "follow": _follow,
    "conditional": _conditional, "create": _create, "policy": _policy,
}  # fmt: skip
