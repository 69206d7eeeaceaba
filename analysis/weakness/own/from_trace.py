"""What calls alone tell of a task: which tools it seems to require, and which of them a failure points at.

This is a guess where a plan or the tools of assertions would be knowledge. It sees that a tool was left out
or always failed; it cannot see that a call succeeded with a wrong value, and then all tools share the blame.
"""

from collections import Counter
from collections.abc import Sequence

from analysis.weakness.probe import ProbeCall, ProbeEpisode


def required_by_trace(probes: Sequence[ProbeEpisode]) -> dict[str, tuple[str, ...]]:
    """Task -> tools that it seems to require, in alphabetical order.

    Those that every passed episode of the task called with success; where none passed, those that at least
    half of its episodes called at all.
    """
    by_task: dict[str, list[ProbeEpisode]] = {}
    for probe in probes:
        by_task.setdefault(probe.task_id, []).append(probe)
    return {task: _required(episodes) for task, episodes in by_task.items()}


def _required(episodes: list[ProbeEpisode]) -> tuple[str, ...]:
    passed = [_called(e.calls, only_successful=True) for e in episodes if e.all_pass]
    if passed:
        return tuple(sorted(set.intersection(*passed)))
    counts = Counter(tool for e in episodes for tool in _called(e.calls, only_successful=False))
    return tuple(sorted(tool for tool, count in counts.items() if 2 * count >= len(episodes)))


def _called(calls: Sequence[ProbeCall], only_successful: bool) -> set[str]:
    return {c.tool for c in calls if c.tool is not None and not (only_successful and c.error is not None)}


def suspects(calls: Sequence[ProbeCall], required: Sequence[str]) -> tuple[str, ...]:
    """Required tools that no call used with success; all required ones when there is no such tool."""
    used = _called(calls, only_successful=True)
    return tuple(tool for tool in required if tool not in used) or tuple(required)
