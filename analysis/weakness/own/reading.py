"""Probe episodes from anyone's episodes: one line of JSON each, as `own.episode` describes them.

A file is read line by line; what is kept of an episode is what the report needs, so instructions, results and
unknown keys never pile up. Which tools a task requires is taken, in this order, from the plan and the list of
required tools, from the tools of the assertions, and else from the trace (`from_trace`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from analysis.errors import DataError
from analysis.json_lines import first_problem, read_lines
from analysis.weakness.own.episode import OwnAssertion, OwnEpisode
from analysis.weakness.own.from_trace import required_by_trace, suspects
from analysis.weakness.probe import PlannedProbe, ProbeCall, ProbeEpisode, ProbeEvidence

Ground = Literal["assertions", "plan", "trace"]
"""What tools are blamed by: the tools of assertions; a plan or required tools; nothing but the calls made."""
FLAG = "success"
"""Name of the evidence that stands for a plain flag."""


@dataclass
class OwnEpisodes:
    """What was read. Mutable: it is filled line by line."""

    probes: list[ProbeEpisode] = field(default_factory=list)
    skipped: list[tuple[int, str]] = field(default_factory=list)  # line number, what is wrong with it
    ignored: Counter[str] = field(default_factory=Counter)  # unknown key, with its place -> times it occurred
    grounds: Counter[Ground] = field(default_factory=Counter)  # what tools are blamed by -> episodes


def read_episodes(path: str | Path, skip_bad: bool = False) -> OwnEpisodes:
    """The episodes of a file, in its order.

    skip_bad: leave bad lines out and list them; otherwise the first one raises DataError, which names it.
    DataError also when nothing is left.
    """
    read = OwnEpisodes()
    traced: list[int] = []  # indices of probes whose tools follow from the trace
    for number, found in _unique(_parsed(path)):
        if isinstance(found, str):
            if not skip_bad:
                raise DataError(
                    f"{path}, line {number}: {found}; correct it, or leave it out with --skip-bad"
                )
            read.skipped.append((number, found))
            continue
        read.ignored.update(_unknown_keys(found))
        ground = _ground(found)
        read.grounds[ground] += 1
        if ground == "trace":
            traced.append(len(read.probes))
        read.probes.append(_probe(found, number))
    if not read.probes:
        first_bad = f"; the first, line {read.skipped[0][0]}: {read.skipped[0][1]}" if read.skipped else ""
        raise DataError(f"{path} holds no episode, and {len(read.skipped)} bad lines{first_bad}")
    _settle(read.probes, traced)
    return read


def _parsed(path: str | Path) -> Iterator[tuple[int, OwnEpisode | str]]:
    """(line number, the episode or what is wrong with it)."""
    for line in read_lines(path):
        if line.problem is not None:
            yield line.number, line.problem
        elif not isinstance(line.value, dict):
            yield line.number, f"{type(line.value).__name__} instead of an object; write one object per line"
        else:
            try:
                yield line.number, OwnEpisode.model_validate(line.value)
            except ValidationError as error:
                yield line.number, first_problem(error) + _hint(error, line.value)


def _unique(parsed: Iterator[tuple[int, OwnEpisode | str]]) -> Iterator[tuple[int, OwnEpisode | str]]:
    """The same; an episode whose id stood on a line before is a problem."""
    places: dict[str, int] = {}  # id of the rollout -> its line
    for number, found in parsed:
        if not isinstance(found, str):
            first = places.setdefault(_id(found, number), number)
            if first != number:
                twice = _id(found, number)
                found = f"episode {twice!r} stands on line {first} already; give every rollout its own id"
        yield number, found


def _hint(error: ValidationError, value: Mapping[str, Any]) -> str:
    """For a key that is missing, the key that may be meant."""
    first = error.errors(include_url=False)[0]
    if first["type"] != "missing" or len(first["loc"]) != 1:
        return ""
    unknown = [key for key in value if key not in OwnEpisode.model_fields]
    near = get_close_matches(str(first["loc"][0]), unknown, n=1, cutoff=0.5)
    return f"; the line has {near[0]!r}, rename it" if near else ""


def _id(episode: OwnEpisode, number: int) -> str:
    return episode.episode or f"line-{number}"


def _unknown_keys(model: BaseModel, place: str = "") -> Iterator[str]:
    """Keys that no record has, e.g. `calls.latency`."""
    for key in model.model_extra or ():
        yield f"{place}{key}"
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, tuple):
            for item in value:
                if isinstance(item, BaseModel):
                    yield from _unknown_keys(item, f"{place}{name}.")


def near_key(ignored: str) -> str | None:
    """The documented key that an ignored one at the top of a line may stand for; None when none is near."""
    near = get_close_matches(ignored, list(OwnEpisode.model_fields), n=1, cutoff=0.75)
    return near[0] if near else None


# ── from a line to a probe ────────────────────────────────────────────────────────────────────────


def _ground(episode: OwnEpisode) -> Ground:
    if any(a.tools for a in episode.assertions):
        return "assertions"
    return "plan" if episode.plan or episode.required_tools else "trace"


def _probe(episode: OwnEpisode, number: int) -> ProbeEpisode:
    """The probe of an episode; where the ground is the trace, its tools are still missing."""
    calls, planned = _calls(episode), _planned(episode)
    tools = _tools(episode, planned)
    tags = tuple(f"{facet}:{value}" for facet, values in episode.tags.items() for value in values)
    tables = tuple(dict.fromkeys(f"table:{a.table}" for a in episode.assertions if a.table))
    return ProbeEpisode(
        episode_id=_id(episode, number),
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
def _any_call(tool: str) -> PlannedProbe:
    """A planned call that any successful bare call of the tool meets."""
    return PlannedProbe(tool=tool, arguments={}, required=True)


def _planned(episode: OwnEpisode) -> tuple[PlannedProbe, ...]:
    """The plan, then the required tools that it lacks. Without arguments any call that succeeds will do."""
    planned = [
        PlannedProbe(tool=p.tool, arguments=p.arguments or {}, required=p.required) for p in episode.plan
    ]
    there = {p.tool for p in episode.plan}
    return (*planned, *(_any_call(tool) for tool in episode.required_tools if tool not in there))


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


# ── tools that only the trace tells ───────────────────────────────────────────────────────────────


def _settle(probes: list[ProbeEpisode], traced: list[int]) -> None:
    """Give the probes at these indices the tools that the traces of their tasks tell."""
    required = required_by_trace([probes[index] for index in traced])
    for index in traced:
        probe = probes[index]
        tools = required[probe.task_id]
        probes[index] = probe.replace(
            cells=(*probe.cells, *(f"tool:{tool}" for tool in tools)),
            planned=tuple(_any_call(tool) for tool in tools),
            writers=dict.fromkeys(probe.writers, suspects(probe.calls, tools)),
        )
