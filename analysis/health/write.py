"""The health of a run as text, CSV and figure."""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import Result
from analysis.csv_file import write_csv
from analysis.health.updates import Health, health
from analysis.run_directory import OpenRun
from analysis.style import colour, drawing
from planet.text_table import align, percent

CAPTION = (
    "Training health per update, over all sampled episodes: what is learned, how long episodes are, what "
    "goes wrong in them, and how much of the batch carries a gradient."
)
PARTS = 6
_FIELDS = tuple(name for name in Health._fields if name != "trainer")
_PANELS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("reward and all-pass", ("reward", "raw_reward", "all_pass")),
    ("tokens per episode", ("tokens",)),
    ("share of episodes", ("truncated", "penalised", "collateral")),
    ("malformed calls and groups without a gradient, as shares", ("malformed", "dropped")),
    ("entropy per token", ("entropy",)),
    ("gradient norm", ("gradient_norm",)),
)


def write_health(run: OpenRun, out: Path | None = None) -> Result:
    """health.csv and health.png in `out` (None: the run's figures)."""
    out = out or run.figures
    rows = health(run.ledger, run.id)
    measured = sorted({name for row in rows for name in row.trainer})
    table = write_csv(
        out / "health.csv",
        (*_FIELDS, *measured),
        [[row.value(name) for name in (*_FIELDS, *measured)] for row in rows],
    )
    return Result(render_health(rows), (table, _draw(rows, out / "health.png")))


def render_health(rows: Sequence[Health]) -> str:
    """Means over up to PARTS equal stretches of the run, one line each."""
    size = -(-len(rows) // PARTS)
    stretches = [rows[start : start + size] for start in range(0, len(rows), size)]
    header = (
        "updates",
        "reward",
        "all-pass",
        "tokens",
        "truncated",
        "malformed",
        "dropped",
        "entropy",
        "grad",
    )
    lines = [
        (
            f"{part[0].update + 1}-{part[-1].update + 1}",
            _number(part, "reward"),
            percent(_mean(part, "all_pass")),
            _number(part, "tokens", 1),
            percent(_mean(part, "truncated")),
            percent(_mean(part, "malformed")),
            percent(_mean(part, "dropped")),
            _number(part, "entropy"),
            _number(part, "gradient_norm"),
        )
        for part in stretches
    ]
    return "\n".join(align(header, lines))


def _mean(rows: Sequence[Health], name: str) -> float | None:
    values = [value for row in rows if (value := row.value(name)) is not None]
    return sum(values) / len(values) if values else None


def _number(rows: Sequence[Health], name: str, digits: int = 3) -> str:
    mean = _mean(rows, name)
    return "-" if mean is None else f"{mean:.{digits}f}"


def _draw(rows: Sequence[Health], path: Path) -> Path:
    with drawing(path, CAPTION, 2, 3, width=10, height=4.8) as axes:
        for axis, (title, names) in zip(axes.flat, _PANELS, strict=True):
            for index, name in enumerate(names):
                values = [row.value(name) for row in rows]
                if any(value is not None for value in values):
                    updates = [row.update + 1 for row in rows]
                    axis.plot(updates, values, color=colour(index), label=name.replace("_", " "))
            axis.set_title(title)
            axis.set_xlabel("updates")
            if len(names) > 1:
                axis.legend()
    return path
