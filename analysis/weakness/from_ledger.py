"""Probe episodes from rows of the ledger: those just written, or those read back."""

from collections.abc import Iterable, Mapping

from analysis.ledger import EpisodeRow, EvidenceRow, Ledger, Row, TaskRow, ToolCallRow, WorldRow
from analysis.weakness.probe import PlannedProbe, ProbeCall, ProbeEpisode, ProbeEvidence

_DOCUMENT_TOOLS = ("search_documents", "get_document")


def probes_from_rows(
    rows: Iterable[Row], tasks: Mapping[str, TaskRow], worlds: Mapping[str, WorldRow]
) -> list[ProbeEpisode]:
    """One probe per `EpisodeRow` among `rows`, in their order.

    rows: episodes with their calls and evidence, in any order; other rows are ignored.
    tasks, worlds: rows by id, of at least the tasks of these episodes.
    """
    episodes: list[EpisodeRow] = []
    calls: dict[str, list[ToolCallRow]] = {}
    evidence: dict[str, list[EvidenceRow]] = {}
    for row in rows:
        if isinstance(row, EpisodeRow):
            episodes.append(row)
        elif isinstance(row, ToolCallRow):
            calls.setdefault(row.episode_id, []).append(row)
        elif isinstance(row, EvidenceRow):
            evidence.setdefault(row.episode_id, []).append(row)
    planned = {task_id: _planned(tasks[task_id]) for task_id in {e.task_id for e in episodes}}
    return [
        _probe(e, tasks[e.task_id], worlds, planned[e.task_id], calls.get(e.episode_id, []), evidence)
        for e in episodes
    ]


def probes_of_step(
    ledger: Ledger, run_id: str, step: int, tasks: Mapping[str, TaskRow], worlds: Mapping[str, WorldRow]
) -> list[ProbeEpisode]:
    """The probe episodes of one controller step, read back; tasks and worlds as for `probes_from_rows`."""
    rows: list[Row] = []
    for row_type in (EpisodeRow, ToolCallRow, EvidenceRow):
        rows.extend(ledger.rows(row_type, run_id, step=step))
    return probes_from_rows(rows, tasks, worlds)


def _probe(
    episode: EpisodeRow,
    task: TaskRow,
    worlds: Mapping[str, WorldRow],
    planned: tuple[PlannedProbe, ...],
    calls: list[ToolCallRow],
    evidence: Mapping[str, list[EvidenceRow]],
) -> ProbeEpisode:
    return ProbeEpisode(
        episode_id=episode.episode_id,
        task_id=task.task_id,
        world_id=task.world_id,
        cells=task.cells,
        evidence=tuple(_evidence(row, task) for row in evidence.get(episode.episode_id, [])),
        calls=tuple(
            ProbeCall(tool=c.tool, arguments=c.arguments, error=c.error)
            for c in sorted(calls, key=lambda call: call.turn)
        ),
        planned=planned,
        writers=worlds[task.world_id].writers,
        all_pass=episode.all_pass,
        raw_reward=episode.raw_reward,
        ended=episode.ended,
    )


def _evidence(row: EvidenceRow, task: TaskRow) -> ProbeEvidence:
    return ProbeEvidence(
        name=row.name,
        kind=row.kind,
        table=row.target_table,
        column=row.target_column,
        satisfied=row.satisfied,
        cells=task.owned.get(row.name, ()),
        held_at_start=not row.violated_at_start,
    )


def _planned(task: TaskRow) -> tuple[PlannedProbe, ...]:
    return tuple(
        PlannedProbe(
            tool=call["tool"],
            arguments=call["arguments"],
            required=call["required"],
            cells=tuple(cell for cell in _cells_of_tool(call["tool"]) if cell in task.cells),
        )
        for call in task.oracle
    )


def _cells_of_tool(tool: str) -> tuple[str, ...]:
    """Cells that a planned call owns besides its tool: its resource and operation, as its name spells."""
    if tool in _DOCUMENT_TOOLS:
        return (f"operation:{tool}",)
    operation, _, resource = tool.partition("_")
    return (f"resource:{resource}", f"operation:{operation}")
