"""Worlds against services of a world: table, figure and a sentence."""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import Result
from analysis.csv_file import write_csv
from analysis.errors import DataError
from analysis.scale.published import PUBLISHED
from analysis.style import MARKERS, colour, drawing
from planet.census.environment import read_environments
from planet.census.measure import Quantity, quantity
from planet.text_table import align, markdown
from planet.whole_file import write_whole

CAPTION = (
    "Worlds against services of a world. Filled: as stated by the source; hollow: our reading of it, one "
    "service where a world is one database behind one set of tools. "
    "What counts as a world differs between projects."
)
_HEADER = ("project", "worlds", "services", "least", "most", "stated", "reading", "source")


def write_scale(folder: Path, out: Path) -> Result:
    """scale.csv, scale.png and scale.md in `out`, of the worlds in `folder`."""
    sizes = [world.sizes["services"] for world in read_environments(folder)]
    if not sizes:
        raise DataError(f"{folder} holds no worlds; make some with planet.synthesize")
    own = quantity("world", "services", sizes)
    words, table = sentence(len(sizes), own), _table(len(sizes), own)
    out.mkdir(parents=True, exist_ok=True)
    page = out / "scale.md"
    write_whole(page, "\n".join([words, "", *markdown(*table, left=(0, 3)), "", *_sources(), ""]))
    here = ("here", len(sizes), own.mean, own.least, own.most, 1, "worlds of this folder", "measured")
    rows = [here, *((p.name, p.worlds, p.services, None, None, int(p.stated), *p[4:]) for p in PUBLISHED)]
    files = (write_csv(out / "scale.csv", _HEADER, rows), _draw(len(sizes), own, out / "scale.png"), page)
    return Result("\n".join([*align(*table, left=(0, 3)), "", words]), files)


def sentence(worlds: int, own: Quantity) -> str:
    """What the comparison says, from the numbers."""
    size = f"{worlds:,} worlds of {own.mean:.1f} services each ({own.least:g} to {own.most:g})."
    number = _compared("worlds", worlds, [(p.name, p.worlds) for p in PUBLISHED])
    services = _compared("services in a world", own.mean, [(p.name, p.services) for p in PUBLISHED])
    return " ".join([size, number, services])


def _compared(what: str, here: float, others: Sequence[tuple[str, float]]) -> str:
    """More of it than some, fewer than others; who has as many, or nobody, is left out."""
    parts = {
        "more": [name for name, number in others if here > number],
        "fewer": [name for name, number in others if here < number],
    }
    told = [f"{word} {what} than {', '.join(names)}" for word, names in parts.items() if names]
    text = "; ".join(told) or f"as many {what} as all of them"
    return f"{text[0].upper()}{text[1:]}."


def _table(worlds: int, own: Quantity) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    rows: list[tuple[str, ...]] = [("here", f"{worlds:,}", f"{own.mean:.1f}", "measured")]
    rows += [
        (
            p.name,
            f"{p.worlds:,}",
            f"{p.services:g}",
            p.reading + ("" if p.stated else " (services: our reading)"),
        )
        for p in PUBLISHED
    ]
    return ("project", "worlds", "services of a world", "what was counted"), rows


def _sources() -> list[str]:
    return ["Sources: " + "; ".join(f"{p.name}, {p.source}" for p in PUBLISHED) + "."]


def _draw(worlds: int, own: Quantity, path: Path) -> Path:
    with drawing(path, CAPTION, width=6.5, height=4.2) as axes:
        axis = axes[0][0]
        axis.errorbar(
            [worlds], [own.mean], yerr=[[own.mean - own.least], [own.most - own.mean]], fmt="*", ms=13,
            color=colour(1), label="here",
        )  # fmt: skip
        for place, p in enumerate(PUBLISHED):
            mark, own_colour = MARKERS[place], colour(place + 2)
            face = own_colour if p.stated else "none"
            axis.plot([p.worlds], [p.services], mark, color=own_colour, mfc=face, ms=8, ls="", label=p.name)
        axis.set_xscale("log")
        axis.set_xlabel("worlds")
        axis.set_ylabel("services of a world")
        axis.set_ylim(0, 1.15 * max(own.most, *(p.services for p in PUBLISHED)))
        axis.legend()
    return path
