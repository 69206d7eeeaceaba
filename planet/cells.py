"""Cells: the skills and places by which weakness is counted, each "facet:value".

A task *requires* its cells (an opportunity). A cell *owns* evidence: the skill facets own all evidence of
their tasks, the place facets own what lies in their tables.
"""

from planet.records.task import AssertionKind, Facets, PlannedCall, TaskKey

FACETS = (
    "family",
    "pattern",
    "operation",
    "hops",
    "pair",
    "resource",
    "tool",
    "service",
    "kind",
    "industry",
    "role",
)
SKILL_FACETS = ("family", "pattern", "hops", "pair", "industry", "role")
"""Facets of a task as a whole."""


def cells_of(key: TaskKey) -> frozenset[str]:
    """All cells that the task requires."""
    return frozenset(_task_cells(key.facets)) | _place_cells(key.facets)


def _task_cells(facets: Facets) -> set[str]:
    cells = {
        f"family:{facets.family}",
        f"hops:{facets.hops}",
        f"industry:{facets.industry}",
        f"role:{facets.role}",
    }
    if facets.pattern:
        cells.add(f"pattern:{facets.pattern}")
    return cells | {f"pair:{p}" for p in facets.pairs}


def _place_cells(facets: Facets) -> frozenset[str]:
    cells = {f"operation:{o}" for o in facets.operations} | {f"resource:{r}" for r in facets.resources}
    cells |= {f"tool:{t}" for t in facets.tools} | {f"service:{s}" for s in facets.services}
    return frozenset(cells | {f"kind:{k}" for k in facets.kinds})


def owned(key: TaskKey, evidence: str) -> frozenset[str]:
    """Cells that own one assertion, or one invariant at stake, of the task; KeyError when it has no such."""
    kind, table = _evidence(key, evidence)
    cells = _task_cells(key.facets) | {
        "operation:update",
        f"kind:{kind}",
        f"resource:{table}",
        f"tool:update_{table}",
    }
    if table in key.facets.resources:
        cells.add(f"service:{key.facets.services[key.facets.resources.index(table)]}")
    return frozenset(cells) & cells_of(key)  # no failure without an opportunity


def _evidence(key: TaskKey, name: str) -> tuple[AssertionKind | str, str]:
    for assertion in key.assertions:
        if assertion.id == name:
            return assertion.kind, assertion.table
    if name in key.at_stake:
        return "invariant", _effect_table(key)
    raise KeyError(f"task {key.task_id} has no evidence {name}")


def _effect_table(key: TaskKey) -> str:
    """The table in which the rule at stake wants its effect: the first one written besides the trigger's.

    The part that puts a rule at stake leads the task: its assertions, the trigger's `equals` before all, and
    its writes stand before those of errands, which may set anything.
    """
    written = [_table(call) for call in key.oracle if call.required]
    trigger = next((a.table for a in key.assertions if a.kind == "equals"), None)
    return next((table for table in written if table != trigger), written[-1])


def on_target(key: TaskKey, cell: str) -> bool:
    """Whether the task exercises the cell: an oracle write and an assertion are owned by it."""
    names = [a.id for a in key.assertions] + list(key.at_stake)
    return any(_writes(c, key, cell) for c in key.oracle if c.required) and any(
        cell in owned(key, n) for n in names
    )


def _writes(call: PlannedCall, key: TaskKey, cell: str) -> bool:
    facet, _, value = cell.partition(":")
    table = _table(call)
    if facet in SKILL_FACETS:
        return cell in _task_cells(key.facets)
    if facet == "service":
        return (
            table in key.facets.resources and key.facets.services[key.facets.resources.index(table)] == value
        )
    if facet == "kind":
        return value in key.facets.kinds
    return cell in (f"operation:{call.tool.split('_')[0]}", f"resource:{table}", f"tool:{call.tool}")


def _table(call: PlannedCall) -> str:
    return call.tool.removeprefix("update_")
