"""A run can start from the pool that another one ended with, if that one is finished and of the same seed."""

import shutil
from pathlib import Path

import pytest

from analysis.ledger import Ledger, MetricRow, TaskRow, WorldRow
from loop.config import Config
from loop.errors import RunDirectoryError
from loop.launch import launch
from loop.loading import load
from loop.run import main
from loop.run_directory import stored_config

MICRO = Path(__file__).resolve().parents[2] / "experiments" / "micro.yaml"
NO_GROWTH = ("curriculum.grower=none", "arm=final_pool")


def config(place: Path, *overrides: str) -> Config:
    return load(MICRO, ("learner=tests.loop.fakes:NoisyOracle", f"cache={place}/cache", *overrides))


def pool_of(directory: Path, run_id: str) -> tuple[set[str], set[str]]:
    """(worlds, tasks) that a run trains on."""
    with Ledger(directory / "ledger.sqlite", create=False) as ledger:
        worlds = {w.world_id for w in ledger.rows(WorldRow, run_id) if w.origin in ("train", "grown")}
        tasks = {t.task_id for t in ledger.rows(TaskRow, run_id) if t.split in ("train", "grown")}
    return worlds, tasks


def dump(directory: Path, run_id: str) -> list[str]:
    with Ledger(directory / "ledger.sqlite", create=False) as ledger:
        return ledger.dump(run_id)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> tuple[Config, Path]:
    """A finished closed loop."""
    place = tmp_path_factory.mktemp("source")
    made = config(place)
    return made, launch(made, place / "run").path


def test_the_pool_of_the_first_update_is_the_one_that_the_other_run_ended_with(
    source: tuple[Config, Path], tmp_path: Path
) -> None:
    other, path = source
    made = config(tmp_path, *NO_GROWTH, f"final_pool={path}")
    directory = launch(made, tmp_path / "run").path
    assert pool_of(directory, made.run_id) == pool_of(path, other.run_id)
    with Ledger(directory / "ledger.sqlite", create=False) as ledger:
        first = {row.name: row.value for row in ledger.rows(MetricRow, made.run_id, step=0)}
        grown = ledger.rows(WorldRow, made.run_id, origin="grown")
    assert first["pool/worlds"] == 2 + 3 == 2 + len(grown)
    assert {(w.step, w.iteration, w.brief_id) for w in grown} == {(0, None, None)}


def test_it_goes_on_without_the_other_directory_and_equals_an_undisturbed_run(
    source: tuple[Config, Path], tmp_path: Path
) -> None:
    copy = shutil.copytree(source[1], tmp_path / "source")
    made = config(tmp_path, *NO_GROWTH, f"final_pool={copy}", "keep_checkpoints=20", "curriculum.sampler=sfl")
    whole = launch(made, tmp_path / "whole").path
    died = shutil.copytree(whole, tmp_path / "died")
    with Ledger(died / "ledger.sqlite", create=False) as ledger:
        ledger.truncate_after(made.run_id, 5)  # the first of two updates
    for checkpoint in (died / "checkpoints").glob("*.json"):
        if int(checkpoint.stem) > 5:
            checkpoint.unlink()
    shutil.rmtree(copy)
    launch(made, died, resume=True)
    with (
        Ledger(died / "ledger.sqlite", create=False) as a,
        Ledger(whole / "ledger.sqlite", create=False) as b,
    ):
        assert a.dump(made.run_id) == b.dump(made.run_id)


def test_a_run_goes_on_with_the_pool_that_it_began_with(source: tuple[Config, Path], tmp_path: Path) -> None:
    made = config(tmp_path, *NO_GROWTH, f"final_pool={source[1]}")
    run = launch(made, tmp_path / "run").path
    with Ledger(run / "ledger.sqlite", create=False) as ledger:
        ledger.truncate_after(made.run_id, 5)
        before = ledger.dump(made.run_id)
    other = config(tmp_path, "arm=other", "growth.quota=2")
    elsewhere = launch(other, tmp_path / "other").path
    changed = made.model_copy(update={"final_pool": elsewhere})
    with pytest.raises(
        RunDirectoryError, match=f"holds run {other.run_id}, this run started from {source[0].run_id}"
    ):
        launch(changed, run, resume=True)
    assert dump(run, made.run_id) == before and stored_config(run).final_pool == source[1]
    launch(
        made.model_copy(update={"final_pool": tmp_path / "gone.yaml"}), run, resume=True
    )  # its worlds are here


def test_a_configuration_stands_for_the_default_directory_of_its_run(
    source: tuple[Config, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = load(MICRO)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunDirectoryError, match=f"runs/{plain.run_id}: not a run directory"):
        launch(config(tmp_path, *NO_GROWTH, f"final_pool={MICRO}"), tmp_path / "run")


def test_where_the_pool_is_read_from_is_not_what_a_run_is_but_that_there_is_one_is(tmp_path: Path) -> None:
    one, other = (config(tmp_path, *NO_GROWTH, f"final_pool=runs/{name}") for name in ("a", "b"))
    assert one.run_id == other.run_id != config(tmp_path, *NO_GROWTH).run_id


def test_an_unfinished_run_another_seed_other_splits_and_no_run_are_refused_in_one_line(
    source: tuple[Config, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, path = source
    unfinished = shutil.copytree(path, tmp_path / "unfinished")
    (unfinished / "finished").unlink()
    refused = {
        (f"final_pool={unfinished}",): "is not finished, so its pool may still grow; finish it with --resume",
        (f"final_pool={path}", "seed=3"): "is a run of seed 0, this run has seed 3; give a finished run of",
        (f"final_pool={tmp_path}/nowhere",): "not a run directory",
        (f"final_pool={path}", "splits.train=3"): "give a run with the same splits, catalog and author",
    }
    for number, (overrides, message) in enumerate(refused.items()):
        words = ["learner=tests.loop.fakes:NoisyOracle", f"cache={tmp_path}/cache", *NO_GROWTH, *overrides]
        code = main([str(MICRO), *words, "--run-dir", str(tmp_path / f"run{number}")])
        error = capsys.readouterr().err
        assert code == 2 and message in error and error.count("\n") == 1


def test_a_run_that_grew_tasks_in_known_worlds_is_no_source(tmp_path: Path) -> None:
    scaled = config(tmp_path, "curriculum.grower=task_scaling")
    launch(scaled, tmp_path / "scaled")
    with pytest.raises(RunDirectoryError, match="grew tasks in known worlds; give a run that grew worlds"):
        launch(config(tmp_path, *NO_GROWTH, f"final_pool={tmp_path}/scaled"), tmp_path / "run")
