"""The census counts a folder of worlds, and says what uniform draws reach."""

import pytest

from planet import census
from planet.census import rarefaction
from planet.corpus import main as synthesize
from planet.store import write_world
from tests.planet.toy_tasks import toy_task
from tests.planet.worlds import toy_world


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("worlds")
    assert synthesize(["--count", "2", "--out", str(folder)]) == 0
    return folder


def test_rarefaction_is_the_share_that_draws_without_repetition_reach():
    # 2 of 4 tasks: a value of one task is missed by C(3, 2) / C(4, 2) = 1/2, one of three by none
    assert rarefaction([1, 3], 4, 2) == pytest.approx(0.75)
    assert rarefaction([1, 1, 2], 4, 4) == 1.0
    assert rarefaction([2, 2], 4, 1) == pytest.approx(0.5)


def test_the_design_itself_reaches_the_share_of_environments_that_it_states():
    assert rarefaction([10] * 4_326, 43_260, 3_200) == pytest.approx(0.536, abs=0.0005)


def test_the_census_counts_worlds_environments_and_tasks(worlds, capsys):
    assert census.main([str(worlds), "--draw", "20"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("2 worlds, ")
    assert lines[1].split() == ["a", "world", "has", "mean", "design", "least", "most"]
    assert any(line.startswith("RL corpus: 2 environments, 20 tasks") for line in lines)
    assert any(line.startswith("families: ") for line in lines)
    (environments,) = [line.split() for line in lines if line.startswith("environments ")]
    assert environments == ["environments", "2", "100.0%", "100.0%", "53.5%"]  # all tasks were drawn


def test_the_census_is_the_same_each_time(worlds, capsys):
    outs = []
    for _ in range(2):
        assert census.main([str(worlds), "--draw", "3", "--environments", "1"]) == 0
        outs.append(capsys.readouterr().out)
    assert outs[0] == outs[1]
    assert "RL corpus: 1 environments, 10 tasks" in outs[0]


def test_worlds_with_too_few_tasks_are_one_line(tmp_path, capsys):
    write_world(tmp_path, *toy_world(), (toy_task(),))
    assert census.main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("has 10 tasks; synthesize with --tasks 10\n")
