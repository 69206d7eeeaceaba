"""One look for all figures: colour-blind safe, drawn without a display, explained by a sentence."""

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
"""Okabe and Ito's palette, in the order in which series take them."""

DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
"""Line styles, so that series differ in print without colours."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Marks, in the order in which series take them."""

HEAT = "cividis"
"""Colour map of heat maps, from low to high; even in lightness for every kind of colour vision."""

SETTINGS: Any = {  # matplotlib types its keys one by one
    "savefig.dpi": 150,
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.5,
    "legend.frameon": False,
}

CAPTION_WIDTH = 16  # characters per inch of figure


@contextmanager
def drawing(
    path: Path, caption: str, rows: int = 1, columns: int = 1, width: float = 7.0, height: float = 3.5
) -> Iterator[Any]:
    """Axes of shape (rows, columns) to draw on; a PNG is written to `path` when the block ends.

    width, height: inches. The caption stands under the axes, and in the file's description.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure.subplots(rows, columns, squeeze=False)
        text = textwrap.fill(caption, int(CAPTION_WIDTH * width))
        figure.supxlabel(text, x=0.01, ha="left", fontsize=8)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Description": caption, "Software": None})


def colour(index: int) -> str:
    """The colour of series number `index`."""
    return COLOURS[index % len(COLOURS)]


def line(index: int) -> dict[str, Any]:
    """The colour, dashes and mark of series number `index`: told apart in grey too."""
    dashes, marker = DASHES[index % len(DASHES)], MARKERS[index % len(MARKERS)]
    return {"color": colour(index), "linestyle": dashes, "marker": marker, "markersize": 4}
