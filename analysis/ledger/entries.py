"""PLANET's records as rows of the ledger, so that whoever writes it need not know its columns."""

from collections.abc import Mapping
from typing import Literal

from analysis.ledger.rows import (
    EpisodePurpose,
    EpisodeRow,
    EvidenceRow,
    Origin,
    Row,
    TaskRow,
    ToolCallRow,
    TrajectoryRow,
    WorldRow,
)
from planet.records.episode import Grade, Trajectory
from planet.records.task import Task
from planet.records.world import World


def world_row(
    run_id: str,
    step: int,
    world: World,
    *,
    origin: Origin,
    iteration: int | None = None,
    brief_id: str | None = None,
) -> WorldRow:
    """The row of a world."""
    kinds = {service.name: service.kind for service in world.graph.services}
    return WorldRow(
        run_id=run_id,
        step=step,
        world_id=world.id,
        origin=origin,
        iteration=iteration,
        industry=world.company.industry,
        country=world.company.country,
        description=world.company.description,
        services=tuple(sorted({service.kind for service in world.graph.services})),
        resources=tuple(resource.name for resource in world.layout.resources),
        slice=world.slice,
        offering=tuple(sorted({kinds[tool.service] for tool in world.offered if tool.service})),
        tools=tuple(tool.name for tool in world.offered),
        tool_set=world.tool_set,
        writers=world.writers,
        rows=sum(len(rows) for rows in world.seed.rows.values()),
        brief_id=brief_id,
    )


def task_row(
    run_id: str,
    step: int,
    task: Task,
    *,
    split: Origin,
    cells: frozenset[str],
    owned: Mapping[str, frozenset[str]],
) -> TaskRow:
    """The row of a task. `cells` it requires; `owned`: evidence name -> cells that own it."""
    return TaskRow(
        run_id=run_id,
        step=step,
        task_id=task.id,
        world_id=task.view.world_id,
        split=split,
        family=task.key.facets.family,
        template=task.key.facets.template,
        role=task.view.role,
        instruction=task.view.instruction,
        facets=task.key.facets.model_dump(mode="json"),
        cells=tuple(sorted(cells)),
        owned={name: tuple(sorted(of)) for name, of in owned.items()},
        oracle=tuple(call.model_dump(mode="json") for call in task.key.oracle),
    )


def episode_rows(
    run_id: str,
    step: int,
    episode_id: str,
    trajectory: Trajectory,
    grade: Grade,
    *,
    purpose: EpisodePurpose,
    variant: str,
    tokens: int,
    policy_version: int,
    group_id: str | None = None,
    admitted: bool | None = None,
    keep: Literal["whole", "calls"] = "calls",
) -> list[Row]:
    """The rows of one graded episode: itself, its calls, its evidence; `keep="whole"` adds the trajectory."""
    episode = EpisodeRow(
        run_id=run_id,
        step=step,
        episode_id=episode_id,
        purpose=purpose,
        variant=variant,
        task_id=grade.task_id,
        group_id=group_id,
        admitted=admitted,
        reward=grade.reward,
        raw_reward=grade.raw_reward,
        score=grade.score,
        all_pass=grade.all_pass,
        calls=len(trajectory.calls),
        malformed=sum(call.tool is None for call in trajectory.calls),
        tokens=tokens,
        ended=trajectory.ended,
        policy_version=policy_version,
        penalties=grade.penalties,
        collateral=grade.collateral,
    )
    whole = TrajectoryRow(
        run_id=run_id, step=step, episode_id=episode_id, trajectory=trajectory.model_dump(mode="json")
    )
    return [
        episode,
        *_call_rows(run_id, step, episode_id, trajectory),
        *_evidence_rows(run_id, step, episode_id, grade),
        *([whole] if keep == "whole" else []),
    ]


def _call_rows(run_id: str, step: int, episode_id: str, trajectory: Trajectory) -> list[Row]:
    return [
        ToolCallRow(
            run_id=run_id,
            step=step,
            episode_id=episode_id,
            turn=turn,
            tool=call.tool,
            arguments=call.arguments,
            ok=call.error is None,
            error=call.error,
        )
        for turn, call in enumerate(trajectory.calls)
    ]


def _evidence_rows(run_id: str, step: int, episode_id: str, grade: Grade) -> list[Row]:
    return [
        EvidenceRow(
            run_id=run_id,
            step=step,
            episode_id=episode_id,
            name=evidence.name,
            kind=evidence.kind,
            target_table=evidence.table,
            target_column=evidence.column,
            satisfied=evidence.satisfied,
            violated_at_start=evidence.violated_at_start,
        )
        for evidence in grade.evidence
    ]
