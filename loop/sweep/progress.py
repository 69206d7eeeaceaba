"""How far a sweep is: a line when a run begins and when it is done, with the time that is left."""

from pathlib import Path

from analysis.run_result import RunResult, read_result
from loop.costs import costs
from loop.reporting.progress import span
from loop.sweep.places import Places
from loop.sweep.runs import Sweep, SweepArm


class Estimate:
    """Seconds of a run: measured on finished ones of its arm, else guessed from its configuration."""

    def __init__(self, sweep: Sweep, places: Places) -> None:
        self._sweep = sweep
        self._places = places
        self._results: dict[Path, RunResult] = {}
        self._others: dict[str, list[float]] = {}

    def results(self) -> dict[tuple[str, int], RunResult]:
        """Finished runs by arm and seed; files that do not read are not counted."""
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

    def seconds(self, arm: SweepArm) -> float:
        """What one run of an arm takes."""
        taken = self.measured(arm)
        return sum(taken) / len(taken) if taken else costs(arm.config).seconds * self._pace()

    def _elsewhere(self, arm: SweepArm) -> list[float]:
        """Of runs with as many updates, whatever else differs: better than a guess."""
        if arm.name not in self._others:
            updates = arm.config.iterations * arm.config.updates_per_iteration
            files = sorted(self._places.results.parent.glob(f"*/{arm.name}-s*.json"))
            found = [read_result(file) for file in files]
            self._others[arm.name] = [r.made.seconds for r in found if r.updates == updates]
        return self._others[arm.name]

    def _pace(self) -> float:
        """Measured seconds over guessed ones, of all finished runs; 1 before the first."""
        arms = {arm.name: arm for arm in self._sweep.arms}
        done = self.results()
        guessed = sum(costs(arms[name].config).seconds for name, _ in done)
        return sum(r.made.seconds for r in done.values()) / guessed if guessed else 1.0

    def left(self, jobs: int) -> float:
        """What the unfinished runs take together: seeds go side by side, their arms one after the other."""
        done = self.results()
        lanes = [0.0] * jobs
        for seed in self._sweep.seeds:
            missing = [arm for arm in self._sweep.of(seed) if (arm.name, seed) not in done]
            lanes[lanes.index(min(lanes))] += sum(self.seconds(arm) for arm in missing)
        return max(lanes)

    def line(self, jobs: int) -> str:
        """Runs done, and the time left."""
        total = sum(len(arm.seeds) for arm in self._sweep.arms)
        return f"{len(self.results())} of {total} runs done, about {span(self.left(jobs))} left"


def outcome(result: RunResult) -> str:
    """What a finished run found, in one line."""
    sampled = sum(t.final_sampled.rate for t in result.tasks) / len(result.tasks)
    greedy = sum(t.final_greedy.rate for t in result.tasks) / len(result.tasks)
    return (
        f"test all-pass {sampled:.1%} sampled, {greedy:.1%} greedy, {result.charged_steps:,} steps charged, "
        f"{span(result.made.seconds)}"
    )
