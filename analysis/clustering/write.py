"""Clusters and their agreement as text, CSV and figure."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.clustering.agreement import Agreement, agreement
from analysis.clustering.clusters import CLUSTERS, Space, text_space, tool_space
from analysis.clustering.describe import Contents, contents
from analysis.clustering.items import Item
from analysis.clustering.words import verdicts
from analysis.command import Result
from analysis.csv_file import write_csv
from analysis.style import colour, drawing
from planet.text_table import align, markdown
from planet.whole_file import write_whole

CAPTION = (
    "Tasks by text (left) and by tool set (middle), each coloured by its own clusters in its two leading "
    "directions; adjusted mutual information between clusters and labels (right), 0 being chance."
)
STRATA = "template"
"""The label that generated text is known to cluster by; agreement within it is tested apart."""


def write_clustering(items: Sequence[Item], out: Path, clusters: int = CLUSTERS, seed: int = 0) -> Result:
    """clusters.csv, cluster_contents.csv, agreement.csv, clusters.png and clustering.md in `out`."""
    spaces = {"text": text_space(items, clusters, seed), "tools": tool_space(items, clusters, seed)}
    found = agreements(items, spaces, seed)
    described = contents(items, spaces)
    files = (
        write_csv(out / "clusters.csv", ("id", *spaces), _rows(items, spaces)),
        write_csv(out / "agreement.csv", Agreement._fields, found),
        _draw(spaces, found, out / "clusters.png"),
        write_csv(out / "cluster_contents.csv", Contents._fields, described),
    )
    said = verdicts(found)
    page = out / "clustering.md"
    write_whole(page, _page(items, spaces, found, said))
    text = [render_clustering(items, spaces, found), "", *said, "", *render_contents(described)]
    return Result("\n".join(text), (*files, page))


def agreements(items: Sequence[Item], spaces: dict[str, Space], seed: int = 0) -> list[Agreement]:
    """Text against tools, then each of them against every label that varies and repeats."""
    labels: dict[str, Sequence[Any]] = {name: space.labels for name, space in spaces.items()}
    keys = sorted({key for item in items for key in item.metadata})
    for key in keys:
        values = [item.metadata.get(key) for item in items]
        if 1 < len({str(value) for value in values}) < len(items):
            labels.setdefault(key, values)
    strata = STRATA if STRATA in labels else None
    pairs = [("text", "tools")]
    pairs += [(space, key) for key in labels if key not in spaces for space in spaces]
    return [agreement(*pair, labels, strata=strata, seed=seed) for pair in pairs]


def render_clustering(items: Sequence[Item], spaces: dict[str, Space], found: Sequence[Agreement]) -> str:
    """The sizes, the silhouettes, and one line per agreement."""
    return "\n".join([_shapes(items, spaces), *align(*_table(found))])


def _page(
    items: Sequence[Item], spaces: dict[str, Space], found: Sequence[Agreement], said: Sequence[str]
) -> str:
    """The same for a results section in Markdown, the words first."""
    words = [f"- {line}" for line in said]
    return "\n".join([f"{_shapes(items, spaces)}.", "", *words, "", *markdown(*_table(found)), ""])


def _shapes(items: Sequence[Item], spaces: dict[str, Space]) -> str:
    shapes = [
        f"{name}: {len(set(space.labels.tolist()))} clusters"
        + ("" if space.silhouette is None else f", silhouette {space.silhouette:.2f}")
        for name, space in spaces.items()
    ]
    return f"{len(items):,} items; " + "; ".join(shapes)


def _table(found: Sequence[Agreement]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    lines: list[tuple[str, ...]] = [
        (f"{a.first} ~ {a.second}", f"{a.ami:.3f}", f"{a.ari:.3f}", f"{a.p:.3f}", _within(a)) for a in found
    ]
    return ("agreement", "AMI", "ARI", "p", f"p within {STRATA}"), lines


def render_contents(described: Sequence[Contents]) -> list[str]:
    """One line per cluster, the largest of each space first."""
    rows = [
        (c.space, str(c.cluster), str(c.items), c.words, c.tools)
        for c in sorted(described, key=lambda c: (c.space, -c.items, c.cluster))
    ]
    return align(("space", "cluster", "items", "typical words", "typical tools"), rows, left=(0, 3, 4))


def _within(a: Agreement) -> str:
    return "-" if a.p_within is None else f"{a.p_within:.3f}"


def _rows(items: Sequence[Item], spaces: dict[str, Space]) -> list[tuple[Any, ...]]:
    return [
        (item.id, *(int(space.labels[index]) for space in spaces.values()))
        for index, item in enumerate(items)
    ]


def _draw(spaces: dict[str, Space], found: Sequence[Agreement], path: Path) -> Path:
    with drawing(path, CAPTION, 1, 3, width=11, height=4) as axes:
        for axis, (name, space) in zip(axes[0], spaces.items(), strict=False):
            colours = [colour(label) for label in space.labels.tolist()]
            axis.scatter(space.plane[:, 0], space.plane[:, 1], c=colours, s=12, alpha=0.7, linewidths=0)
            axis.set_title(f"clusters by {name}")
            axis.set_xticks([])
            axis.set_yticks([])
        bars = axes[0][2]
        names = [f"{a.first} ~ {a.second}" for a in found]
        bars.barh(names, [a.ami for a in found], color=[colour(a.first == "tools") for a in found])
        bars.invert_yaxis()
        bars.set_xlim(min(0.0, *(a.ami for a in found)), 1)
        bars.set_title("adjusted mutual information")
    return path
