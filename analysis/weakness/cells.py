"""Counting opportunities and failures per cell over probe episodes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum

from analysis.weakness.attribution import Blame, Mode
from analysis.weakness.probe import ProbeEpisode

EXEMPLARS = 3
"""Episodes kept as examples of a cell's failure, of different tasks."""


@dataclass
class CellCount:
    """What was counted for one cell. Mutable: it is filled in one pass and read once."""

    opportunities: int = 0  # episodes whose task requires the cell
    missed: int = 0  # of these, episodes that are not all-pass, whoever is to blame
    shares: list[float] = field(default_factory=list)  # of the blame, one per failed episode
    ambiguous: int = 0  # failed episodes in which other suspects share the blame
    worlds: set[str] = field(default_factory=set)
    tasks: set[str] = field(default_factory=set)
    modes: dict[Mode, int] = field(default_factory=dict)  # failed episodes by failure mode
    exemplars: dict[str, str] = field(default_factory=dict)  # task id -> episode id

    @property
    def failures(self) -> float:
        """The sum of shares, rounded once, so that the order of episodes cannot matter."""
        return fsum(self.shares)


def count_cells(episodes: Sequence[ProbeEpisode], blames: Sequence[dict[str, Blame]]) -> dict[str, CellCount]:
    """Cell -> counts, in alphabetical order. Exemplars are the first failed episodes in the given order.

    blames: who failed in each episode.
    """
    counts: dict[str, CellCount] = {}
    for episode, blamed in zip(episodes, blames, strict=True):
        for cell in sorted(set(episode.cells)):
            count = counts.setdefault(cell, CellCount())
            count.opportunities += 1
            count.missed += not episode.all_pass
            count.worlds.add(episode.world_id)
            count.tasks.add(episode.task_id)
            if cell in blamed:
                share, mode = blamed[cell]
                count.shares.append(share)
                count.ambiguous += share < 1
                count.modes[mode] = count.modes.get(mode, 0) + 1
                if episode.task_id not in count.exemplars and len(count.exemplars) < EXEMPLARS:
                    count.exemplars[episode.task_id] = episode.episode_id
    return dict(sorted(counts.items()))
