"""Work side by side in processes, on this machine or through Ray on several; results come in order."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeVar

from planet.errors import PlanetError

Item = TypeVar("Item")
Result = TypeVar("Result")
Backend = Literal["local", "ray"]
BACKENDS: tuple[Backend, ...] = ("local", "ray")
_BATCH = 16
"""Items per process that are handed to Ray at once, whose results are then waited for."""


def side_by_side(
    work: Callable[[Item], Result], items: Sequence[Item], jobs: int, backend: Backend = "local"
) -> Iterator[Result]:
    """`work` of every item, in order, as soon as it is there. With one job nothing leaves this process."""
    if backend == "local" and (jobs == 1 or len(items) < 2):
        yield from map(work, items)
        return
    from joblib import Parallel, delayed, parallel_config

    if backend == "local":
        yield from Parallel(n_jobs=jobs, return_as="generator")(delayed(work)(item) for item in items)
        return
    use_ray(jobs, PlanetError)
    with parallel_config("ray", n_jobs=jobs):
        for first in range(0, len(items), jobs * _BATCH):
            yield from Parallel()(delayed(work)(item) for item in items[first : first + jobs * _BATCH])


def use_ray(jobs: int, refusal: type[Exception], show_output: bool = False) -> None:
    """Let joblib's backend "ray" mean the cluster that RAY_ADDRESS names, or one on this machine for as many
    jobs at once; `refusal` when Ray is not installed.

    show_output: print here what the jobs print.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing calls home
    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError as error:
        raise refusal(
            f"--backend ray: Ray cannot be imported ({error}); install the extra: pip install -e '.[cluster]'"
        ) from error
    if not ray.is_initialized():
        cpus = None if os.environ.get("RAY_ADDRESS") else jobs  # a cluster has those that it has
        ray.init(include_dashboard=False, log_to_driver=show_output, num_cpus=cpus)
    register_ray()
