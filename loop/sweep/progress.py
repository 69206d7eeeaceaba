"""How far a sweep is: a line when a run begins and when it is done, with the time that is left."""

from contextlib import suppress
from pathlib import Path

from analysis.errors import AnalysisError
from analysis.run_result import PLAN, RunResult, read_result
from loop.costs import costs
from loop.errors import SweepError
from loop.reporting.progress import span
from loop.sweep.places import Places
from loop.sweep.plan import read_plan
from loop.sweep.runs import Sweep, SweepArm

ALIKE = ("policy", "learner", "iterations", "updates_per_iteration", "prompts_per_update")
"""Keys in which an arm of another sweep is equal, when its runs took what this one's will take."""


class Estimate:
    """Seconds of a run: measured on finished ones of its arm, else guessed from its configuration.

    None: neither can be.
    """

    def __init__(self, sweep: Sweep, places: Places) -> None:
        self._sweep = sweep
        self._places = places
        self._results: dict[Path, RunResult] = {}
        self._others: dict[str, list[float]] = {}

    def results(self) -> dict[tuple[str, int], RunResult]:
        """Finished runs by arm and seed; DataError for a file that does not read."""
        found = {}
        for arm in self._sweep.arms:
            for seed in arm.seeds:
                file = self._places.result(arm.name, seed)
                if file not in self._results and file.exists():
                    self._results[file] = read_result(file)
                if file in self._results:
                    found[arm.name, seed] = self._results[file]
        return found

    def measured(self, arm: SweepArm) -> list[float]:
        """Seconds of finished runs of an arm: here, or else in other sweeps beside this one."""
        own = [r.made.seconds for (name, _), r in self.results().items() if name == arm.name]
        return own or self._elsewhere(arm)

    def seconds(self, arm: SweepArm) -> float | None:
        """What one run of an arm takes."""
        taken = self.measured(arm)
        if taken:
            return sum(taken) / len(taken)
        guessed = costs(arm.config).seconds
        return None if guessed is None else guessed * self._pace()

    def _elsewhere(self, arm: SweepArm) -> list[float]:
        """Of runs under other plans of the same policy and as many updates; what does not read is no help."""
        if arm.name not in self._others:
            folders = sorted({file.parent for file in self._places.results.parent.glob(f"*/{PLAN}")})
            seconds = []
            for folder in folders:
                with suppress(AnalysisError, SweepError):
                    if _alike(arm, folder):
                        files = sorted(folder.glob(f"{arm.name}-s*.json"))
                        seconds += [read_result(file).made.seconds for file in files]
            self._others[arm.name] = seconds
        return self._others[arm.name]

    def _pace(self) -> float:
        """Measured seconds over guessed ones, of all finished runs; 1 before the first."""
        arms = {arm.name: arm for arm in self._sweep.arms}
        done = [(r.made.seconds, costs(arms[name].config).seconds) for (name, _), r in self.results().items()]
        pairs = [(measured, guessed) for measured, guessed in done if guessed is not None]
        guessed_in_all = sum(guessed for _, guessed in pairs)
        return sum(measured for measured, _ in pairs) / guessed_in_all if guessed_in_all else 1.0

    def left(self, jobs: int) -> float | None:
        """What the unfinished runs take together: seeds go side by side, their arms one after the other."""
        done = self.results()
        lanes = [0.0] * jobs
        for seed in self._sweep.seeds:
            missing = [self.seconds(arm) for arm in self._sweep.of(seed) if (arm.name, seed) not in done]
            known = [seconds for seconds in missing if seconds is not None]
            if len(known) < len(missing):
                return None
            lanes[lanes.index(min(lanes))] += sum(known)
        return max(lanes)

    def line(self, jobs: int) -> str:
        """Runs done, and the time left."""
        total = sum(len(arm.seeds) for arm in self._sweep.arms)
        left = self.left(jobs)
        time = "no estimate of what is left" if left is None else f"about {span(left)} left"
        return f"{len(self.results())} of {total} runs done, {time}"


def _alike(arm: SweepArm, folder: Path) -> bool:
    """Whether the sweep of a folder has this arm, with the same policy and as much to learn."""
    plan = read_plan(folder / PLAN) or {}
    other = plan.get("arms", {}).get(arm.name, {}).get("config", {})
    own = arm.config.recorded()
    return all(other.get(key) == own[key] for key in ALIKE)


def outcome(result: RunResult) -> str:
    """What a finished run found, in one line."""
    sampled = sum(t.final_sampled.rate for t in result.tasks) / len(result.tasks)
    greedy = sum(t.final_greedy.rate for t in result.tasks) / len(result.tasks)
    return (
        f"test all-pass {sampled:.1%} sampled, {greedy:.1%} greedy, {result.charged_steps:,} steps charged, "
        f"{span(result.made.seconds)}"
    )
