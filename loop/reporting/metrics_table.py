"""Every metric that a run records, in one table: what it is called, what it is, and when it is measured.

A name in angle brackets stands for several: `<family>` a task family, `<variant>` a way of sampling such as
`t1` or `greedy`, `<subject>` `warm_start`, `final` or `extended`.
"""

import re
from typing import NamedTuple


class Metric(NamedTuple):
    """One line of the table."""

    name: str
    meaning: str
    step: str  # kind of controller step that measures it


_EPISODES = {
    "all_pass": "share of episodes with all evidence satisfied and no collateral",
    "reward": "mean reward, in [0, 1], after penalties",
    "raw_reward": "mean reward before penalties",
    "calls": "tool calls per episode, malformed included",
    "tokens": "tokens sampled per episode",
    "truncated": "share of episodes that ended without an answer",
}


def _episodes(prefix: str, step: str, families: bool = True) -> list[Metric]:
    lines = [Metric(f"{prefix}/{name}", meaning, step) for name, meaning in _EPISODES.items()]
    if families:
        lines.append(Metric(f"{prefix}/all_pass/<family>", "all-pass share of one task family", step))
    return lines


METRICS: tuple[Metric, ...] = (
    Metric("budget/charged_steps", "environment steps charged up to and with this step", "every"),
    Metric("worlds/audit_steps", "calls that audited the worlds of the splits; not charged", "worlds"),
    Metric("pool/worlds", "worlds in the training pool", "worlds, grow"),
    Metric("pool/tasks", "tasks in the training pool", "worlds, grow"),
    Metric("warm_start/demonstrations", "demonstrations that were shown", "warm_start"),
    Metric("warm_start/unwritable", "demonstrations that could not be written in tokens", "warm_start"),
    Metric("warm_start/loss", "cross-entropy per token, mean of the last steps", "warm_start"),
    Metric("warm_start/token_accuracy", "share of tokens that were the likeliest, last steps", "warm_start"),
    *_episodes("validate", "validate"),
    *_episodes("diagnose", "diagnose"),
    *_episodes("train", "update", families=False),
    *_episodes("test/<subject>/<variant>", "test"),
    Metric("grow/briefs", "briefs that the grower asked for", "grow"),
    Metric("grow/syntheses", "syntheses that were tried", "grow"),
    Metric("grow/valid", "of these, worlds that passed the validators", "grow"),
    Metric("grow/admitted", "worlds that joined the pool", "grow"),
    Metric("grow/shortfall", "briefs that were left without a world", "grow"),
    Metric("grow/targeted_worlds", "worlds with enough tasks, of briefs that aimed at the report", "grow"),
    Metric("grow/on_target_worlds", "of these, worlds with at least half of their tasks on target", "grow"),
    Metric("grow/on_target_share", "on-target worlds over targeted worlds", "grow"),
    Metric("grow/audit_steps", "calls that audited grown worlds; charged", "grow"),
    Metric("grower/briefs_targeted", "briefs aimed at the report so far", "grow"),
    Metric("grower/briefs_random", "briefs with random or evenly drawn cells, or for tasks, so far", "grow"),
    Metric("grower/ladders", "cells that are approached over easier rungs", "grow"),
    Metric("allocation/cells", "cells with a measured gain (expected_gain)", "grow"),
    Metric("allocation/gain", "failure rate removed per 1,000 charged steps (expected_gain)", "grow"),
    Metric("update/groups", "groups sampled, the refill included", "update"),
    Metric("update/admitted", "groups that gave a gradient", "update"),
    Metric("update/shortfall", "groups still missing after the refill", "update"),
    Metric("update/stale", "groups dropped as too old (asynchronous)", "update"),
    Metric("update/in_play", "groups in play or waiting that no update has taken (asynchronous)", "update"),
    Metric("gate/dropped_share", "share of all groups so far that the gate dropped", "update"),
    Metric("sampler/effective_tasks", "exp of the entropy of the draws' distribution", "update"),
    Metric("sampler/tasks_tried", "tasks with outcomes (sfl, plr, difficulty_pools)", "update"),
    Metric("sampler/learnability", "mean learnability of the tasks tried (sfl)", "update"),
    Metric("sampler/regret", "mean of 1 - reward of the tasks tried (plr)", "update"),
    Metric("sampler/tasks_hard", "tried tasks below the middle pool (difficulty_pools)", "update"),
    Metric("sampler/tasks_easy", "tried tasks above the middle pool (difficulty_pools)", "update"),
    Metric(
        "policy/<name>", "what the learner measured in an update: loss, entropy, gradient_norm, ...", "update"
    ),
)
"""The table."""


def line_of(name: str) -> Metric | None:
    """The line that describes a metric; None when it has none."""
    for metric in METRICS:
        pattern = re.sub(r"<[a-z]+>", "[^/]+", re.escape(metric.name).replace(r"\<", "<").replace(r"\>", ">"))
        if re.fullmatch(pattern, name):
            return metric
    return None


def markdown() -> str:
    """The table for the documentation."""
    lines = ["| metric | what it is | measured by |", "|---|---|---|"]
    lines += [f"| `{m.name}` | {m.meaning} | {m.step} |" for m in METRICS]
    return "\n".join(lines) + "\n"
