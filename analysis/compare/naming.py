"""How runs are called where they stand beside each other by arm."""

from collections import Counter
from collections.abc import Mapping


def arm_names(runs: Mapping[str, tuple[str, int]]) -> dict[str, str]:
    """Label -> the run's arm, or its label where its arm has several runs at the seed.

    runs: label -> (arm, seed).
    """
    often = Counter(runs.values())
    return {label: arm if often[arm, seed] == 1 else label for label, (arm, seed) in runs.items()}
