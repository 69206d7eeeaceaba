"""Probe episodes from anyone's episodes: one line of JSON each, as `own.episode` describes them.

A file is read line by line; what is kept of an episode is what the report needs, so instructions, results and
unknown keys never pile up. Which tools a task requires is taken, in this order, from the plan and the list of
required tools, from the tools of the assertions, and else from the trace (`from_trace`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from analysis.errors import DataError
from analysis.json_lines import first_problem, read_lines
from analysis.weakness.own.episode import OwnEpisode
from analysis.weakness.own.from_trace import required_by_trace, suspects
from analysis.weakness.own.probing import Ground, any_call, episode_id, ground_of, probe_of
from analysis.weakness.probe import ProbeEpisode


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
        ground = ground_of(found)
        read.grounds[ground] += 1
        if ground == "trace":
            traced.append(len(read.probes))
        read.probes.append(probe_of(found, number))
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
            first = places.setdefault(episode_id(found, number), number)
            if first != number:
                twice = episode_id(found, number)
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


def _settle(probes: list[ProbeEpisode], traced: list[int]) -> None:
    """Give the probes at these indices the tools that the traces of their tasks tell."""
    required = required_by_trace([probes[index] for index in traced])
    for index in traced:
        probe = probes[index]
        tools = required[probe.task_id]
        probes[index] = probe.replace(
            cells=(*probe.cells, *(f"tool:{tool}" for tool in tools)),
            planned=tuple(any_call(tool) for tool in tools),
            writers=dict.fromkeys(probe.writers, suspects(probe.calls, tools)),
        )
