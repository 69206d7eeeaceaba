"""Who is to blame for a failed episode.

A failed assertion leads to a table and column, from there to the tools that can write it, by a map that comes
with the world, and from there to the trace: was the tool called, with what, did it fail? Blaming every tool
of a failed task instead finds planted weaknesses far less often.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from analysis.weakness.probe import PlannedProbe, ProbeCall, ProbeEpisode, ProbeEvidence, facet_of

Mode = Literal[
    "omitted",  # no call that could have done it
    "wrong_target",  # it wrote another record
    "wrong_value",  # it wrote the record, but not what was asked
    "tool_error",  # it called the tool, and never with success
    "invariant_broken",  # a rule of the world that was at stake does not hold
    "turn_limit",  # the episode was cut before the call came
]


class Blame(NamedTuple):
    """A cell's part in the failure of one episode."""

    share: float  # in (0, 1]; below 1 when several suspects share it
    mode: Mode


def blame(episode: ProbeEpisode) -> dict[str, Blame]:
    """Cells that failed in the episode; empty when it passed, or when no required cell owns what failed.

    A cell's share is the largest one over the failed evidence and the unmet calls; the mode is of that one.
    """
    found: dict[str, Blame] = {}
    if episode.all_pass:
        return found
    for evidence in episode.evidence:
        if not evidence.satisfied:
            mode = _mode_of_evidence(episode, evidence)
            for suspects in _suspects(episode, evidence).values():
                _add(found, suspects, Blame(1 / len(suspects), mode))
    for planned in episode.planned:
        unmet = _mode_of_call(episode, planned)
        if unmet is not None:
            owners = {f"tool:{planned.tool}", *planned.cells} & set(episode.cells)
            _add(found, sorted(owners), Blame(1.0, unmet))
    return found


def liable(episode: ProbeEpisode) -> frozenset[str]:
    """Cells of which the task asks something: they own a required call, or evidence to be brought about.

    The others are blamed for other reasons: a read that failed every time, or a wrong write.
    """
    wanted = [item for item in episode.evidence if not item.held_at_start]
    able = {cell for item in wanted for group in _owners(episode, item).values() for cell in group}
    for planned in episode.planned:
        if planned.required:
            able.update((f"tool:{planned.tool}", *planned.cells))
    return frozenset(able & set(episode.cells))


def _add(found: dict[str, Blame], cells: Iterable[str], part: Blame) -> None:
    for cell in cells:
        if cell not in found or part.share > found[cell].share:
            found[cell] = part


def _suspects(episode: ProbeEpisode, evidence: ProbeEvidence) -> dict[str, list[str]]:
    """Facet -> cells of the task that share the blame for a failed assertion."""
    suspects = _owners(episode, evidence)
    if "tool" in suspects:
        suspects["tool"] = _not_cleared(episode, evidence, suspects["tool"])
    return suspects


def _owners(episode: ProbeEpisode, evidence: ProbeEvidence) -> dict[str, list[str]]:
    """Facet -> cells of the task that own an assertion; tools by the map of writers where it knows them."""
    owners: dict[str, list[str]] = {}
    for cell in sorted(set(evidence.cells or episode.cells) & set(episode.cells)):
        owners.setdefault(facet_of(cell), []).append(cell)
    tools = [f"tool:{t}" for t in _writers(episode, evidence) if f"tool:{t}" in episode.cells]
    if tools:
        owners["tool"] = tools
    elif not evidence.cells:
        owners.pop("tool", None)  # nothing owns it and nothing that the task requires writes it
    return owners


def _not_cleared(episode: ProbeEpisode, evidence: ProbeEvidence, able: list[str]) -> list[str]:
    """Those of the able tools whose required calls were not all made; all of them when there are none."""
    writers = _writers(episode, evidence)
    required = [call for call in episode.planned if call.required and call.tool in writers]
    cleared = {
        f"tool:{tool}" for tool in {c.tool for c in required} if _all_made(episode.calls, required, tool)
    }
    return [cell for cell in able if cell not in cleared] or able


def _writers(episode: ProbeEpisode, evidence: ProbeEvidence) -> tuple[str, ...]:
    by_column = episode.writers.get(f"{evidence.table}.{evidence.column}")
    return by_column if by_column is not None else episode.writers.get(evidence.table, ())


def _all_made(calls: Iterable[ProbeCall], required: Iterable[PlannedProbe], tool: str) -> bool:
    calls = list(calls)
    return all(any(_makes(call, planned) for call in calls) for planned in required if planned.tool == tool)


def _makes(call: ProbeCall, planned: PlannedProbe) -> bool:
    """The call succeeded and says what was planned; 25 and 25.0 are the same, extra arguments are not."""
    return call.error is None and call.tool == planned.tool and call.arguments == planned.arguments


def _mode_of_evidence(episode: ProbeEpisode, evidence: ProbeEvidence) -> Mode:
    if evidence.kind == "invariant":
        return "invariant_broken"
    writers = _writers(episode, evidence)
    return _mode_of_writes(
        episode,
        [call for call in episode.calls if call.tool in writers],
        [planned.arguments for planned in episode.planned if planned.required and planned.tool in writers],
    )


def _mode_of_call(episode: ProbeEpisode, planned: PlannedProbe) -> Mode | None:
    """How a planned call was missing or wrong; None when it was met.

    A required write is met when it was made, or when all evidence on the tables that its tool writes is
    satisfied: there are other plans than the planned one. A planned read is wrong only when its tool was
    called and failed every time.
    """
    attempts = [call for call in episode.calls if call.tool == planned.tool]
    if not planned.required:
        failed = attempts and all(call.error is not None for call in attempts)
        return "tool_error" if failed else None
    if any(_makes(call, planned) for call in attempts):
        return None
    touched = [item for item in episode.evidence if planned.tool in _writers(episode, item)]
    if touched and all(item.satisfied for item in touched):
        return None
    return _mode_of_writes(episode, attempts, [planned.arguments])


def _mode_of_writes(
    episode: ProbeEpisode, attempts: list[ProbeCall], wanted: list[Mapping[str, Any]]
) -> Mode:
    """What went wrong with `attempts`, the calls that could have done what calls with `wanted` would."""
    if not attempts:
        return "omitted" if episode.ended == "answer" else "turn_limit"
    made = [call for call in attempts if call.error is None]
    if not made:
        return "tool_error"
    targets = {arguments.get("id") for arguments in wanted}  # None: a record is to be created
    if not targets or any(call.arguments.get("id") in targets for call in made):
        return "wrong_value"  # also where no plan says which record it should be
    return "wrong_target"
