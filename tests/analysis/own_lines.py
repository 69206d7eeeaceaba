"""Simulated probes written as lines of anyone's episodes, telling more or less of what a task requires."""

import json
import random
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
WEAK_TOOL = "exchange_delivered_order_items"
"""What the scripted agent of the example file gets right in 3 of 10 calls; all else in 19 of 20."""
FORMS = ("assertions with tools", "flag and required tools", "assertions alone", "flag alone")
"""From most to least that a line tells."""


def line_of(probe, form):
    """The line of a simulated episode, as a dictionary."""
    line = {
        "task": probe.task_id,
        "world": probe.world_id,
        "calls": [{"tool": c.tool, "arguments": c.arguments, "ok": True} for c in probe.calls],
    }
    if "flag" in form:
        line["success"] = probe.all_pass
    else:
        line["assertions"] = [_assertion(probe, item, form) for item in probe.evidence]
    if "required" in form:
        line["required_tools"] = [planned.tool for planned in probe.planned]
    return line


def _assertion(probe, item, form):
    told = {"name": item.name, "satisfied": item.satisfied}
    return told | ({"tools": list(probe.writers[item.table])} if "tools" in form else {})


def write_lines(path, lines):
    """A JSON-lines file; returns its path."""
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def retail_lines(tasks=30, rollouts=4, seed=0):
    """Episodes of a scripted agent on human-written tasks: the lines of tests/data/own_episodes.jsonl."""
    text = (DATA / "tau2_retail_tasks.jsonl").read_text(encoding="utf-8")
    chosen = [task for task in map(json.loads, text.splitlines()) if task["tools"]][:tasks]
    draw = random.Random(seed)
    return [_retail_line(task, rollout, draw) for task in chosen for rollout in range(rollouts)]


def _retail_line(task, rollout, draw):
    right = {tool: draw.random() < (0.3 if tool == WEAK_TOOL else 0.95) for tool in task["tools"]}
    # A wrong one is left out, or made and failed.
    made = [tool for tool in task["tools"] if right[tool] or draw.random() < 0.5]
    calls = [{"tool": tool} | ({"ok": True} if right[tool] else {"error": "no such item"}) for tool in made]
    return {
        "task": task["id"],
        "episode": f"{task['id']}/{rollout}",
        "tags": {"domain": task["metadata"]["domain"], "actions": task["metadata"]["n_actions"]},
        "calls": calls,
        "assertions": [{"name": tool, "satisfied": right[tool], "tools": [tool]} for tool in task["tools"]],
    }
