"""Work in processes gives what work in this process gives, in order."""

import pytest

from planet.side_by_side import side_by_side
from tests.fakes_ray import pretend_ray


def square(number: int) -> int:
    return number * number


def test_one_job_works_in_this_process_and_lazily():
    seen = []
    results = side_by_side(lambda n: seen.append(n) or n, [1, 2, 3], 1)
    assert seen == [] and next(results) == 1 and seen == [1]


def test_two_jobs_give_the_same_in_the_same_order():
    assert list(side_by_side(square, range(5), 2)) == [0, 1, 4, 9, 16]


@pytest.mark.parametrize(("address", "cpus"), [(None, 2), ("ray://head:10001", None)])
def test_a_cluster_that_the_environment_names_keeps_its_number_of_processors(monkeypatch, address, cpus):
    asked = pretend_ray(monkeypatch, address)
    assert list(side_by_side(square, range(3), 2, "ray")) == [0, 1, 4]
    assert asked == [{"include_dashboard": False, "log_to_driver": False, "num_cpus": cpus}]


@pytest.mark.slow
def test_a_local_ray_gives_the_same_in_the_same_order():
    ray = pytest.importorskip("ray", reason="Ray is not installed; pip install -e '.[cluster]'")
    try:
        assert list(side_by_side(square, range(5), 2, "ray")) == [0, 1, 4, 9, 16]
    finally:
        ray.shutdown()
