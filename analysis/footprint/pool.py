"""The pool that a run trained on, and the tasks that received a gradient in each update."""

from typing import NamedTuple

from analysis.ledger import Ledger, TaskRow, UpdateRow, WorldRow

DIMENSIONS = (
    "tasks",
    "worlds",
    "industries",
    "descriptions",
    "tools",
    "services",
    "combinations",
    "invariants",
)
"""What a gradient touches. Invariants: rules of one world that a task puts at stake; many tasks put none."""


class PoolTask(NamedTuple):
    """A task of the pool with the values that a gradient on it touches."""

    since: int  # controller step that added it
    values: dict[str, tuple[str, ...]]  # dimension -> values


class Update(NamedTuple):
    """The tasks with a gradient in one update."""

    step: int
    number: int  # from 0
    iteration: int | None
    tasks: tuple[str, ...]


def read_pool(ledger: Ledger, run_id: str) -> dict[str, PoolTask]:
    """Task id -> task, of the worlds that a run trains on."""
    # Tasks first: a world that a live run adds in between is one too many, a missing one would be a fault.
    trained = [row for split in ("train", "grown") for row in ledger.rows(TaskRow, run_id, split=split)]
    worlds = {row.world_id: row for row in ledger.rows(WorldRow, run_id)}
    return {
        row.task_id: PoolTask(row.step, _values(row, worlds[row.world_id]))
        for row in sorted(trained, key=lambda row: row.task_id)
    }


def read_updates(ledger: Ledger, run_id: str) -> list[Update]:
    """All updates of a run, in order, with the tasks that received a gradient in each."""
    touched: dict[int, list[str]] = {}
    iterations: dict[int, int | None] = {}
    # Steps first: what a live run adds after them is left out.
    for row in ledger.query("SELECT step, iteration FROM steps WHERE run_id = :run", run=run_id):
        iterations[row["step"]] = row["iteration"]
    for row in ledger.query("SELECT step, task_id FROM gradient_tasks WHERE run_id = :run", run=run_id):
        touched.setdefault(row["step"], []).append(row["task_id"])
    return [
        Update(u.step, u.update_index, iterations[u.step], tuple(sorted(touched.get(u.step, []))))
        for u in sorted(ledger.rows(UpdateRow, run_id), key=lambda u: u.step)
        if u.step in iterations
    ]


def _values(task: TaskRow, world: WorldRow) -> dict[str, tuple[str, ...]]:
    return {
        "tasks": (task.task_id,),
        "worlds": (world.world_id,),
        "industries": (world.industry,),
        "descriptions": (world.description,),
        "tools": world.tools,
        "services": world.offering,
        "combinations": ("+".join(world.offering),),
        "invariants": tuple(f"{world.world_id}/{name}" for name in _at_stake(task)),
    }


def _at_stake(task: TaskRow) -> list[str]:
    """The invariants of a task's world that it puts at stake, by the kind of their evidence."""
    return sorted(name for name, cells in task.owned.items() if "kind:invariant" in cells)
