"""One episode to click open: the instruction, every call with its result, and what the grade rests on."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analysis.ledger import EpisodeRow, EvidenceRow, TaskRow, ToolCallRow, TrajectoryRow, WorldRow
from analysis.report.anchors import Anchors
from analysis.report.markup import Html, cut, element, folded, note, table, together
from analysis.report.record import RunRecord
from analysis.weakness.attribution import Blame, blame
from analysis.weakness.from_ledger import probes_from_rows

SUMMARY = 140
"""Characters of an instruction in the line that is clicked."""


class Sample(NamedTuple):
    """An episode with all that the ledger knows of it."""

    episode: EpisodeRow
    task: TaskRow
    world: WorldRow
    calls: tuple[ToolCallRow, ...]
    results: tuple[Any, ...] | None  # the payload of each call; None: not kept
    answer: str | None
    evidence: tuple[EvidenceRow, ...]
    blamed: Mapping[str, Blame]  # cell -> its part in the failure


def read_sample(record: RunRecord, episode_id: str) -> Sample:
    """An episode of the run, by its id."""
    ledger, run_id = record.run.ledger, record.run.id
    episode = ledger.rows(EpisodeRow, run_id, episode_id=episode_id)[0]
    task = record.tasks[episode.task_id]
    rows = record.episode_rows([episode])
    whole = ledger.rows(TrajectoryRow, run_id, episode_id=episode_id)
    trajectory = whole[0].trajectory if whole else None
    probe = probes_from_rows(rows, record.tasks, record.worlds)[0]
    return Sample(
        episode=episode,
        task=task,
        world=record.worlds[task.world_id],
        calls=tuple(sorted((r for r in rows if isinstance(r, ToolCallRow)), key=lambda call: call.turn)),
        results=tuple(call["payload"] for call in trajectory["calls"]) if trajectory else None,
        answer=trajectory["answer"] if trajectory else None,
        evidence=tuple(row for row in rows if isinstance(row, EvidenceRow)),
        blamed=blame(probe),
    )


def episode_list(record: RunRecord, anchors: Anchors, title: str, ids: Sequence[str]) -> Html:
    """Episodes, folded under a line that says how many of them passed; nothing when there are none."""
    if not ids:
        return Html("")
    samples = [read_sample(record, episode_id) for episode_id in ids]
    passed = sum(sample.episode.all_pass for sample in samples)
    line = f"{title} to read: {len(samples) - passed} failed, {passed} passed"
    return folded(line, together(episode_view(sample, anchors) for sample in samples), class_="group")


def episode_view(sample: Sample, anchors: Anchors) -> Html:
    """The episode, folded."""
    episode, task = sample.episode, sample.task
    state = "passed" if episode.all_pass else "failed"
    summary = together(
        (
            element("b", state, class_=state),
            element("span", task.family.replace("_", " "), class_="family"),
            cut(task.instruction, SUMMARY),
        ),
        " ",
    )
    return folded(
        summary,
        element("blockquote", cut(task.instruction)),
        _setting(sample, anchors),
        _calls(sample),
        _grade(sample),
        id=anchors.name("episode", episode.episode_id),
        class_=f"episode {state}",
    )


def _setting(sample: Sample, anchors: Anchors) -> Html:
    episode, task, world = sample.episode, sample.task, sample.world
    place = f"{world.industry.replace('_', ' ')}, {world.country}: {cut(world.description)}"
    plan = (
        element("li", _call(step["tool"], step["arguments"]), " (required)" if step["required"] else None)
        for step in task.oracle
    )
    return together(
        (
            element(
                "p",
                f"As {task.role.replace('_', ' ')}, in world ",
                anchors.link("world", world.world_id, world.world_id),
                f" ({place}). Sampled as {episode.variant} from the policy after {episode.policy_version} "
                f"updates; episode {episode.episode_id}.",
            ),
            folded(f"{len(world.tools)} tools offered", element("p", ", ".join(world.tools))),
            folded("a plan that solves it", element("ol", together(plan))),
        )
    )


def _calls(sample: Sample) -> Html:
    items = [
        element("li", _call(call.tool, call.arguments), _result(call, sample.results))
        for call in sample.calls
    ]
    steps = element("ol", together(items), class_="calls") if items else note("It made no call.")
    if sample.results is None:
        end = note("Results were not kept for this episode.")
    else:
        said = "It ended without an answer." if sample.answer is None else f"Answer: {cut(sample.answer)}"
        end = element("p", said)
    return together((steps, end))


def _result(call: ToolCallRow, results: Sequence[Any] | None) -> Html | None:
    if not call.ok:
        return element("pre", f"error: {cut(call.error or '')}", class_="error")
    if results is None:
        return None
    return element("pre", cut(json.dumps(results[call.turn], ensure_ascii=False)))


def _grade(sample: Sample) -> Html:
    episode = sample.episode
    verdict = (
        f"Reward {episode.reward:.2f} ({episode.raw_reward:.2f} before penalties), "
        f"{sum(e.satisfied for e in sample.evidence)} of {len(sample.evidence)} pieces of evidence hold; "
        f"ended by {episode.ended.replace('_', ' ')} after {episode.tokens} tokens."
    )
    rows = [
        (e.name, e.kind, _place(e), "no" if e.violated_at_start else "yes", _outcome(e.satisfied))
        for e in sample.evidence
    ]
    extra = [f"penalty {name}: reward times {factor:g}" for name, factor in episode.penalties.items()]
    extra += [f"collateral: {cut(what)}" for what in episode.collateral]
    extra += [_blamed(cell, part) for cell, part in sorted(sample.blamed.items()) if _telling(cell)]
    header = ("evidence", "kind", "where", "held at the start", "at the end")
    return together(
        (
            element("p", verdict),
            table(header, rows, words=range(5)) if rows else None,
            element("ul", together(element("li", line) for line in extra)) if extra else None,
        )
    )


def _telling(cell: str) -> bool:
    """Whether the page names the cell as blamed; the other facets repeat what these say."""
    return cell.startswith(("family:", "tool:", "pattern:"))


def _blamed(cell: str, part: Blame) -> str:
    how = "blamed" if part.share == 1 else f"blamed in part ({part.share:.0%})"
    return f"{how}: {cell}, {part.mode.replace('_', ' ')}"


def _place(evidence: EvidenceRow) -> str:
    column = evidence.target_column
    return evidence.target_table if column is None else f"{evidence.target_table}.{column}"


def _outcome(holds: bool) -> Html:
    return element("b", "holds", class_="passed") if holds else element("b", "fails", class_="failed")


def _call(tool: str | None, arguments: Mapping[str, Any]) -> Html:
    if tool is None:
        return together(
            (element("b", "unreadable"), element("code", cut(str(arguments.get("raw", ""))))), " "
        )
    return together(
        (element("b", cut(tool)), element("code", cut(json.dumps(arguments, ensure_ascii=False)))), " "
    )
