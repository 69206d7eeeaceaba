"""From one line of anyone's episodes to a probe: what its task requires, and who owns what was checked."""

from functools import lru_cache
from typing import Literal

from analysis.weakness.own.episode import OwnAssertion, OwnEpisode
from analysis.weakness.own.from_trace import suspects
from analysis.weakness.probe import PlannedProbe, ProbeCall, ProbeEpisode, ProbeEvidence

Ground = Literal["assertions", "plan", "trace"]
"""What tools are blamed by: the tools of assertions; a plan or required tools; nothing but the calls made."""
FLAG = "success"
"""Name of the evidence that stands for a plain flag."""


def episode_id(episode: OwnEpisode, number: int) -> str:
    """The id of the rollout; without one, its line."""
    return episode.episode or f"line-{number}"


def ground_of(episode: OwnEpisode) -> Ground:
    """What the tools of an episode are blamed by."""
    if any(a.tools for a in episode.assertions):
        return "assertions"
    return "plan" if episode.plan or episode.required_tools else "trace"


def probe_of(episode: OwnEpisode, number: int) -> ProbeEpisode:
    """The probe of an episode; where the ground is the trace, its tools are still missing."""
    calls, planned = _calls(episode), _planned(episode)
    tools = _tools(episode, planned)
    tags = tuple(f"{facet}:{value}" for facet, values in episode.tags.items() for value in values)
    tables = tuple(dict.fromkeys(f"table:{a.table}" for a in episode.assertions if a.table))
    return ProbeEpisode(
        episode_id=episode_id(episode, number),
        task_id=episode.task,
        world_id=episode.world or episode.task,
        cells=(*tags, *tables, *(f"tool:{tool}" for tool in tools)),
        evidence=_all_evidence(episode, tags),
        calls=calls,
        planned=planned,
        writers=_writers(episode.assertions, suspects(calls, tools)),
        all_pass=episode.passed,
        raw_reward=_reward(episode),
        ended=episode.ended,
    )


def _calls(episode: OwnEpisode) -> tuple[ProbeCall, ...]:
    """The calls; arguments are kept where a plan says what they should be."""
    said = {p.tool for p in episode.plan if p.arguments is not None}
    return tuple(
        ProbeCall(tool=c.tool, arguments=c.arguments, error=c.problem)
        if c.tool in said
        else _bare_call(c.tool, c.problem)
        for c in episode.calls
    )


@lru_cache(maxsize=4096)  # a file has millions of calls and few different ones
def _bare_call(tool: str | None, problem: str | None) -> ProbeCall:
    return ProbeCall(tool=tool, arguments={}, error=problem)


@lru_cache(maxsize=4096)
def any_call(tool: str) -> PlannedProbe:
    """A planned call that any successful bare call of the tool meets."""
    return PlannedProbe(tool=tool, arguments={}, required=True)


def _planned(episode: OwnEpisode) -> tuple[PlannedProbe, ...]:
    """The plan, then the required tools that it lacks. Without arguments any call that succeeds will do."""
    planned = [
        PlannedProbe(tool=p.tool, arguments=p.arguments or {}, required=p.required) for p in episode.plan
    ]
    there = {p.tool for p in episode.plan}
    return (*planned, *(any_call(tool) for tool in episode.required_tools if tool not in there))


def _tools(episode: OwnEpisode, planned: tuple[PlannedProbe, ...]) -> tuple[str, ...]:
    """Tools that the task requires: those of its plan, and of assertions that no planned tool affects."""
    in_plan = {p.tool for p in planned}
    tools = dict.fromkeys(p.tool for p in planned)
    for assertion in episode.assertions:
        if not in_plan & set(assertion.tools):
            tools.update(dict.fromkeys(assertion.tools))
    return tuple(tools)


def _all_evidence(episode: OwnEpisode, tags: tuple[str, ...]) -> tuple[ProbeEvidence, ...]:
    """The assertions, or the flag alone; a flag that failed where all assertions hold owns the tags."""
    if not episode.assertions:
        return (_flag(episode.passed),)
    found = tuple(_evidence(a, tags) for a in episode.assertions)
    if episode.passed or any(not a.satisfied for a in episode.assertions):
        return found
    # Nothing says which table or tool it was: it looks at a place that no assertion has.
    return (*found, _flag(False).replace(table="", cells=_owned(tags, FLAG)))


def _owned(tags: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The tags alone; the last cell is no task's, as no cells at all would mean all of the task's."""
    return (*tags, f"assertion:{name}")


def _evidence(assertion: OwnAssertion, tags: tuple[str, ...]) -> ProbeEvidence:
    table = assertion.table or assertion.name
    return ProbeEvidence(
        name=assertion.name,
        kind=assertion.kind,
        table=table,
        column=assertion.column,
        satisfied=assertion.satisfied,
        cells=(*tags, f"table:{table}") if assertion.table else _owned(tags, assertion.name),
    )


@lru_cache(maxsize=2)
def _flag(passed: bool) -> ProbeEvidence:
    return ProbeEvidence(name=FLAG, kind="flag", table=FLAG, column=None, satisfied=passed)


def _writers(assertions: tuple[OwnAssertion, ...], unknown: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Where evidence looks -> tools that can bring it about; `unknown` where no assertion there says."""
    writers: dict[str, dict[str, None]] = {} if assertions else {FLAG: {}}
    for a in assertions:
        place = a.table or a.name
        tools = writers.setdefault(place if a.column is None else f"{place}.{a.column}", {})
        tools.update(dict.fromkeys(a.tools))
    return {place: tuple(tools) or unknown for place, tools in writers.items()}


def _reward(episode: OwnEpisode) -> float:
    if episode.reward is not None:
        return episode.reward
    if not episode.assertions:
        return float(episode.passed)
    return sum(a.satisfied for a in episode.assertions) / len(episode.assertions)
