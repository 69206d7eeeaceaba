"""python -m analysis.episode RUN EPISODE_ID: one episode to read."""

import difflib
import json
from collections.abc import Sequence
from typing import Any

from analysis.command import command, finish


def main(argv: Sequence[str] | None = None) -> int:
    """Print the transcript of one episode; returns the exit code."""
    options = command("episode", "One episode to read: the task, each call with its result, the verdict.")
    options.add_argument("run", metavar="RUN", help="run directory, e.g. runs/NAME")
    options.add_argument("episode", metavar="EPISODE_ID", help='e.g. "s0012/p03/g5"; reports name exemplars')
    chosen = options.parse_args(argv)

    def work() -> None:
        from analysis.run_directory import open_run

        print(transcript(open_run(chosen.run), chosen.episode))

    return finish(options, work)


def transcript(run: Any, episode_id: str) -> str:
    """The episode as text. DataError names like ids when the run has no such episode."""
    from analysis.errors import DataError
    from analysis.ledger import EpisodeRow, EvidenceRow, TaskRow, ToolCallRow, TrajectoryRow, WorldRow

    found = run.ledger.rows(EpisodeRow, run.id, episode_id=episode_id)
    if not found:
        ids = [
            row["episode_id"]
            for row in run.ledger.query("SELECT episode_id FROM episodes WHERE run_id = :run", run=run.id)
        ]
        near = ", ".join(difflib.get_close_matches(episode_id, sorted(ids), n=3, cutoff=0.0)) or "none"
        raise DataError(f"{run.path} has no episode {episode_id}; the nearest ids are: {near}")
    episode = found[0]
    task = run.ledger.rows(TaskRow, run.id, task_id=episode.task_id)[0]
    world = run.ledger.rows(WorldRow, run.id, world_id=task.world_id)[0]
    whole = run.ledger.rows(TrajectoryRow, run.id, episode_id=episode_id)
    calls = run.ledger.rows(ToolCallRow, run.id, episode_id=episode_id)
    parts = [
        _heading(episode, task, world),
        _plan(task),
        _calls(calls, whole[0].trajectory if whole else None),
        _verdict(episode, run.ledger.rows(EvidenceRow, run.id, episode_id=episode_id)),
    ]
    return "\n\n".join(parts)


def _heading(episode: Any, task: Any, world: Any) -> str:
    return "\n".join(
        [
            f"episode {episode.episode_id}: {episode.purpose}, {episode.variant}, policy version "
            f"{episode.policy_version}",
            f"task {task.task_id}: {task.family}, as {task.role.replace('_', ' ')}",
            f"world {world.world_id}: {world.industry}, {world.country}. {world.description}",
            f"tools: {', '.join(world.tools)}",
            f"instruction: {task.instruction}",
        ]
    )


def _plan(task: Any) -> str:
    steps = [
        f"  {_call(call['tool'], call['arguments'])}" + ("  (required)" if call["required"] else "")
        for call in task.oracle
    ]
    return "\n".join(["a plan that solves it:", *steps])


def _calls(calls: Sequence[Any], trajectory: dict[str, Any] | None) -> str:
    """Each call with its result; results are known when the whole trajectory was kept."""
    lines = ["what happened:"]
    for call in calls:
        lines.append(f"  {call.turn + 1}. {_call(call.tool, call.arguments)}")
        if not call.ok:
            lines.append(f"     error: {call.error}")
        elif trajectory is not None:
            lines.append(f"     {_json(trajectory['calls'][call.turn]['payload'])}")
    if trajectory is None:
        lines.append("  (results were not kept for this episode)")
    else:
        lines.append(f"  answer: {trajectory['answer'] if trajectory['answer'] is not None else 'none'}")
    return "\n".join(lines)


def _verdict(episode: Any, evidence: Sequence[Any]) -> str:
    head = (
        f"verdict: {'all passed' if episode.all_pass else 'failed'}, reward {episode.reward:.3f} "
        f"(before penalties {episode.raw_reward:.3f}), ended by {episode.ended.replace('_', ' ')}, "
        f"{episode.tokens} tokens"
    )
    lines = [
        f"  {'holds' if item.satisfied else 'FAILS'}  {item.name}: {item.kind} on {item.target_table}"
        + (f".{item.target_column}" if item.target_column else "")
        for item in evidence
    ]
    lines += [f"  penalty {name}: reward times {factor:g}" for name, factor in episode.penalties.items()]
    lines += [f"  collateral: {what}" for what in episode.collateral]
    return "\n".join([head, *lines])


def _call(tool: str | None, arguments: dict[str, Any]) -> str:
    return f"unreadable: {arguments.get('raw', '')!r}" if tool is None else f"{tool} {_json(arguments)}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    raise SystemExit(main())
