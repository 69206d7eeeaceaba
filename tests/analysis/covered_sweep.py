"""A simulated sweep whose results tell what their training touched."""

from analysis.contrasts.sweep import as_sweep
from analysis.run_result import Reached
from tests.analysis.simulated_sweep import simulated_sweep

POOL = 200
SHARES = {"closed_loop": 60, "random_worlds": 50, "static": 40}
"""Combinations of 200 that an arm reached after the first iteration, seed 0; each seed has one more."""


def reached(arm, seed, iteration, dimension="combinations"):
    count = (SHARES[arm] + seed) * (iteration + 1)
    band = {"expected": 0.30, "low": 0.255, "high": 0.345}
    return [
        Reached(dimension=dimension, scope=scope, iteration=iteration, reached=count, pool=POOL, **band)
        for scope in ("cumulated", "iteration")
    ]


def covered_results(arms=tuple(SHARES), seeds=(0, 1, 2), without=()):
    """Two iterations of each run; runs (arm, seed) of `without` end after the first."""
    return [
        r.replace(
            footprint=tuple(
                cell
                for dimension in ("tasks", "combinations")
                for iteration in range(1 if (r.arm, r.seed) in without else 2)
                for cell in reached(r.arm, r.seed, iteration, dimension)
            )
        )
        for r in simulated_sweep(arms=arms, seeds=seeds)
    ]


def covered(**how):
    """The same as a sweep."""
    return as_sweep("simulated", covered_results(**how))
