"""The figures of a finished run: every analysis that reads a run directory, each on its own."""

import importlib
from collections.abc import Callable

from loop.run_directory import RunDirectory

ANALYSES = ("health", "weakness", "footprint", "clustering", "report")
"""Modules of `analysis` with a command on a run directory; the page of the run comes last."""


def draw_figures(directory: RunDirectory, say: Callable[[str], None]) -> list[str]:
    """Run every analysis quietly; a line for each that could not be done, e.g. for want of data."""
    complaints = []
    for name in ANALYSES:
        say(f"figures: {name}")
        code = _run(name, directory)
        if code != 0:
            complaints.append(f"no figures of {name}; see: python -m analysis.{name} {directory.path}")
    return complaints


def _run(name: str, directory: RunDirectory) -> int:
    """The exit code of one analysis, with its output put aside in the figures folder."""
    import contextlib
    import io

    main = importlib.import_module(f"analysis.{name}.__main__").main
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            return int(main([str(directory.path)]) or 0)
    except SystemExit as stop:
        return int(stop.code or 0) if not isinstance(stop.code, str) else 1
    finally:
        directory.figures.mkdir(parents=True, exist_ok=True)
        (directory.figures / f"{name}.txt").write_text(output.getvalue(), encoding="utf-8")
