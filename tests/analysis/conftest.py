"""Simulated runs that several tests read."""

import pytest

from analysis.run_directory import open_run
from tests.analysis.simulated_run import SimulatedRun


@pytest.fixture(scope="session")
def run_path(tmp_path_factory):
    """The directory of a finished run of two iterations."""
    return SimulatedRun(tmp_path_factory.mktemp("runs") / "closed").write()


@pytest.fixture(scope="session")
def other_path(tmp_path_factory):
    """The directory of a run of the same seed that learns nothing."""
    return SimulatedRun(tmp_path_factory.mktemp("runs") / "static", arm="static", gain=0.0).write()


@pytest.fixture(scope="session")
def run(run_path):
    """The finished run, opened."""
    return open_run(run_path)
