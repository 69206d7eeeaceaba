"""Simulated agents of known strength: each tool succeeds with its own probability, all else is equal."""

import random

from analysis.weakness import PlannedProbe, ProbeCall, ProbeEpisode, ProbeEvidence


def skills(tools, weak, strong_rate=0.9, weak_rate=0.3):
    """Tool -> probability that a call of it does what the task wants."""
    return {tool: weak_rate if tool in weak else strong_rate for tool in tools}


def simulate(success, tasks=60, rollouts=4, calls=3, shared=0.0, seed=0):
    """Probe episodes of `tasks` tasks, `calls` distinct required updates each, ten tasks a world.

    success: tool -> probability that its call is right. Half of the wrong calls are left out, half write a
    wrong value. shared: probability that a second tool of the task can write the table, too.
    """
    draw = random.Random(seed)
    tools = sorted(success)
    return [
        _episode(task, rollout, chosen, success, writers, draw)
        for task in range(tasks)
        for chosen in [draw.sample(tools, calls)]
        for writers in [_writers(chosen, shared, draw)]
        for rollout in range(rollouts)
    ]


def _writers(chosen, shared, draw):
    out = {}
    for index, tool in enumerate(chosen):
        other = chosen[(index + 1) % len(chosen)]
        table = tool.removeprefix("update_")
        out[table] = (tool, other) if draw.random() < shared else (tool,)
    return out


def _episode(task, rollout, chosen, success, writers, draw):
    evidence, calls, planned = [], [], []
    for tool in chosen:
        table = tool.removeprefix("update_")
        right = draw.random() < success[tool]
        planned.append(PlannedProbe(tool=tool, arguments={"id": "X-1", "status": "done"}, required=True))
        if right or draw.random() < 0.5:
            value = "done" if right else "open"
            calls.append(ProbeCall(tool=tool, arguments={"id": "X-1", "status": value}, error=None))
        evidence.append(
            ProbeEvidence(name=table, kind="equals", table=table, column="status", satisfied=right)
        )
    passed = all(item.satisfied for item in evidence)
    return ProbeEpisode(
        episode_id=f"t{task}/g{rollout}",
        task_id=f"t{task}",
        world_id=f"w{task // 10}",
        cells=("family:update", *(f"tool:{tool}" for tool in chosen)),
        evidence=tuple(evidence),
        calls=tuple(calls),
        planned=tuple(planned),
        writers=writers,
        all_pass=passed,
        raw_reward=sum(item.satisfied for item in evidence) / len(evidence),
        ended="answer",
    )
