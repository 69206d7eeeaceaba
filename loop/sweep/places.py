"""Where a sweep keeps what: run directories and logs, which may be removed, and results, which stay."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Places:
    """The two folders of a sweep."""

    runs: Path  # run directories and logs
    results: Path  # plan and result files

    def run(self, arm: str, seed: int) -> Path:
        """The directory of a run."""
        return self.runs / f"{arm}-s{seed}"

    def result(self, arm: str, seed: int) -> Path:
        """The result file of a run."""
        return self.results / f"{arm}-s{seed}.json"

    def log(self, seed: int) -> Path:
        """What the process of a seed prints."""
        return self.runs / f"seed-{seed}.log"

    @property
    def comparison(self) -> Path:
        """Where the comparison goes."""
        return self.results / "contrasts"
