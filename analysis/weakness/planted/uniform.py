"""How often a report claims something of an agent that is weak at nothing in particular.

The agent fails a task at odds that no cell has a part in: a world and a task may be hard as such (normal
effects on the log-odds), and every cell of which a failed task asks something is blamed. To see what a claim
takes, the odds of the tasks of one cell can be multiplied.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analysis.weakness.attribution import liable
from analysis.weakness.claims import Rules, Tested, claims_of_reports
from analysis.weakness.comparison import Unit, comparisons, units_of
from analysis.weakness.planted.agent import ScriptedAgent
from analysis.weakness.planted.tasks import Place

_BATCH = 250
"""Reports that are simulated at once."""


class Setting(NamedTuple):
    """How an agent fails."""

    rate: float = 0.3  # of tasks, where world and task are of average difficulty
    worlds: float = 0.0  # standard deviation of the worlds' effects on the log-odds
    tasks: float = 0.0  # of the tasks' effects
    cell: str | None = None  # whose tasks fail at other odds; None: none
    odds: float = 1.0  # times those of the others


class Share(NamedTuple):
    """Shares of the simulated reports."""

    claiming: float  # claim something
    abstaining: float
    naming: float  # claim the setting's cell; 0 where there is none


def task_units(places: Sequence[Place], agent: ScriptedAgent) -> list[Unit]:
    """The units of some tasks, with one failure for each cell of which its task asks something."""
    episodes = [agent.played(place, (None,) * len(place.task.key.oracle)) for place in places]
    units = units_of(episodes, [{}] * len(episodes), [liable(episode) for episode in episodes])
    return [unit._replace(failures=float(unit.liable)) for unit in units]


def uniform_shares(
    units: Sequence[Unit], setting: Setting, rollouts: int, reports: int, rules: Rules, seed: int = 0
) -> Share:
    """Simulate `reports` reports of `rollouts` episodes per task."""
    draw = np.random.default_rng(seed)
    parts = []
    for start in range(0, reports, _BATCH):
        played = simulated(units, setting, rollouts, min(_BATCH, reports - start), draw)
        parts.append(_outcome(claims_of_reports(comparisons(played), rules), setting))
    return Share(*np.concatenate(parts, axis=1).mean(axis=1).tolist())


def _outcome(tested: Tested, setting: Setting) -> np.ndarray:
    nothing = np.zeros(len(tested.abstains), dtype=bool)
    named = tested.claimed[tested.cells.index(setting.cell)] if setting.cell else nothing
    return np.stack([tested.claimed.any(axis=0), tested.abstains, named])


def simulated(
    units: Sequence[Unit], setting: Setting, rollouts: int, reports: int, draw: np.random.Generator
) -> list[Unit]:
    """The units as `reports` simulated reports fill them."""
    tasks = sorted({(unit.world, unit.task) for unit in units})
    worlds = sorted({world for world, _ in tasks})
    of_world = np.array([worlds.index(world) for world, _ in tasks])
    raised = {(unit.world, unit.task) for unit in units if unit.cell == setting.cell}
    log_odds = (
        np.log(setting.rate / (1 - setting.rate))
        + setting.worlds * draw.standard_normal((len(worlds), reports))[of_world]
        + setting.tasks * draw.standard_normal((len(tasks), reports))
        + np.log(setting.odds) * np.array([task in raised for task in tasks])[:, None]
    )
    failed = draw.binomial(rollouts, 1 / (1 + np.exp(-log_odds))).astype(float)
    place = {task: index for index, task in enumerate(tasks)}
    return [
        unit._replace(opportunities=rollouts, failures=unit.failures * failed[place[unit.world, unit.task]])
        for unit in units
    ]
