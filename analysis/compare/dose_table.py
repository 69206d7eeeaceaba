"""Dose and response as a table and figures: cells within each run, and between the arms of a seed."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from analysis.compare.dose import Dose, aimed_facets, doses_of, rank_correlation
from analysis.compare.dose_between import write_between
from analysis.compare.naming import arm_names
from analysis.compare.pages import on_pages
from analysis.csv_file import write_csv
from analysis.errors import DataError
from analysis.footprint.beside import require_same_start
from analysis.run_directory import OpenRun
from analysis.style import colour, drawing, line
from planet.text_table import align

CAPTION = (
    "Each mark is a cell: its share of the prompts with a gradient minus its share of the starting pool "
    "(dose), against the failure rate removed on test from warm start to end (response); larger marks "
    "have more test episodes. A rising cloud in the closed loop and a flat one under a placebo say that "
    "aiming works."
)
HEADER = ("run", *Dose._fields, "dose", "response")


def write_doses(runs: Mapping[str, OpenRun], out: Path) -> tuple[str, list[Path]]:
    """Rank correlations and the slope between arms of a seed, dose_response and dose_between_arms as .csv
    and .png; nothing unless a run was updated and tested."""
    facets = aimed_facets(runs.values())
    found = {label: doses for label, run in runs.items() if (doses := doses_of(run, facets))}
    if not found:
        return "", []
    rows = [(label, *d, d.dose, d.response) for label, doses in found.items() for d in doses]
    table = write_csv(out / "dose_response.csv", HEADER, rows)
    lines = [(label, str(len(doses)), _rho_text(rank_correlation(doses))) for label, doses in found.items()]
    text = "\n".join(align(("dose and response", "cells", "rank correlation"), lines))
    between, between_files = _between({label: runs[label] for label in found}, found, out)
    figures = on_pages(found, out / "dose_response.png", partial(_draw, facets))
    files = [table, *figures, *between_files]
    return "\n".join(part for part in (text, between) if part), files


def _between(
    runs: Mapping[str, OpenRun], found: Mapping[str, Sequence[Dose]], out: Path
) -> tuple[str, list[Path]]:
    """The slope between the runs of a seed; a sentence instead where they did not begin alike."""
    try:
        for run, other in combinations(runs.values(), 2):
            if run.run.seed == other.run.seed:
                require_same_start(run, other)
    except DataError as error:
        return f"between arms of a seed: not compared, {error}", []
    names = arm_names({label: (run.run.arm, run.run.seed) for label, run in runs.items()})
    return write_between({(names[label], runs[label].run.seed): doses for label, doses in found.items()}, out)


def _rho_text(rho: float | None) -> str:
    return "-" if rho is None else f"{rho:+.2f}"


def _draw(facets: Sequence[str], found: Mapping[str, list[Dose]], path: Path) -> Path:
    with drawing(path, CAPTION, 1, len(found), width=2.2 + 2.9 * len(found), height=3.9) as axes:
        for index, (label, doses) in enumerate(found.items()):
            axis = axes[0][index]
            for number, d in enumerate(sorted(doses, key=lambda d: d.dose)):
                shade = facets.index(d.cell.partition(":")[0])
                size = 12 + 0.6 * d.episodes
                axis.scatter(
                    100 * d.dose, 100 * d.response, s=size, color=colour(shade), marker=line(shade)["marker"]
                )
                place = (100 * d.dose, 100 * d.response)
                name = d.cell.partition(":")[2]
                axis.annotate(
                    name, place, xytext=(5, -9 if number % 2 else 4), textcoords="offset points", fontsize=6
                )
            axis.axhline(0, color="black", linewidth=0.6)
            axis.axvline(0, color="black", linewidth=0.6)
            axis.margins(0.18)
            axis.set_title(f"{label}: rank correlation {_rho_text(rank_correlation(doses))}", fontsize=8)
            axis.set_xlabel("gradient share gained (points)")
        axes[0][0].set_ylabel("failure removed on test (points)")
        _share_range(list(axes[0]))
    return path


def _share_range(axes: list[Any]) -> None:
    """The same axes in every panel, so that clouds compare."""
    for get, put in (("get_xlim", "set_xlim"), ("get_ylim", "set_ylim")):
        edges = [getattr(axis, get)() for axis in axes]
        for axis in axes:
            getattr(axis, put)(min(e[0] for e in edges), max(e[1] for e in edges))
