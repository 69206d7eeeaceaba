"""The numbers that library and RL corpus were designed for; `docs/paper_and_here.md` has their sources."""

WORLDS, ENVIRONMENTS, TASKS, ROWS = 4_783, 4_326, 43_260, 14_000_000
TASKS_EACH = 10
"""Tasks of an environment of the RL corpus; worlds with fewer are no part of it."""
DRAWN = 3_200
"""Tasks of 200 updates with 16 prompts each."""
MEANS = {
    "services": 13.0, "tools": 65.0, "tables": 31.0, "hidden checks": 15.0, "rows": 2_900.0,
    "tools offered": 16.1, "services touched": 2.9, "assertions": 5.4, "share at stake": 0.60,
}  # fmt: skip
"""Means of a world, of an environment, of a task."""
BOUNDS = {"tools offered": (10.0, 26.0), "assertions": (2.0, 10.0)}
"""Least and most, where they are known."""
DISTINCT = {
    "industries": 14, "countries": 50, "tools": 842, "tables of the catalog": 222, "descriptions": 2_287,
    "combinations": 148, "families": 8, "roles": 6, "phrasings": 48,
}  # fmt: skip
"""How many different ones there are; of phrasings, six in each of eight families."""
AT_LEAST = ("families", "phrasings")
"""Of these, more are welcome."""
REACHED = {"environments": 0.535, "descriptions": 0.629, "tools": 0.758, "combinations": 0.628}
"""Shares of the corpus that training on DRAWN tasks is published to have touched."""
NEAR = 5.0
"""Points that a share may differ from the published one."""
ENOUGH = 0.95
"""Share of the designed size from which counts of different values are compared: they grow with the size."""


def draw_for(tasks: int) -> int:
    """As many tasks of `tasks` as DRAWN are of TASKS, at least one."""
    return max(1, round(tasks * DRAWN / TASKS))


def points(share: float, dimension: str) -> float | None:
    """Percentage points of a share above the published one; None where none is published."""
    published = REACHED.get(dimension)
    return None if published is None else 100 * (share - published)
