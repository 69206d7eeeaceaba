"""Every command: a light --help, and one line with exit code 2 for wrong use."""

import json

import pytest

from analysis.clustering.__main__ import main as clustering
from analysis.compare.__main__ import main as compare
from analysis.episode import main as episode
from analysis.footprint.__main__ import main as footprint
from analysis.health.__main__ import main as health
from analysis.ledger import Ledger
from analysis.run_directory import open_run
from analysis.weakness.__main__ import main as weakness

ON_ONE_RUN = {
    "clustering": clustering,
    "compare": compare,
    "footprint": footprint,
    "health": health,
    "weakness": weakness,
}
HEAVY = ("jax", "sklearn", "matplotlib", "scipy", "mlflow", "litellm")


def complaint(capsys):
    """What was said on the error stream, which must be one line."""
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.endswith("\n")
    return said


@pytest.mark.parametrize("name", sorted(ON_ONE_RUN))
def test_a_command_prints_and_writes_into_the_run(name, run_path, tmp_path, capsys):
    assert ON_ONE_RUN[name]([str(run_path), "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "written: " in said and any(tmp_path.glob("*.png")) and any(tmp_path.glob("*.csv"))


@pytest.mark.parametrize("name", sorted(ON_ONE_RUN))
def test_a_folder_that_is_no_run_is_wrong_use(name, tmp_path, capsys):
    assert ON_ONE_RUN[name]([str(tmp_path)]) == 2
    assert "is not a run directory: it has no ledger.sqlite" in complaint(capsys)
    assert ON_ONE_RUN[name]([str(tmp_path / "none")]) == 2
    assert "is not a folder; give the directory of a run" in complaint(capsys)


@pytest.mark.parametrize("name", sorted(ON_ONE_RUN))
def test_an_empty_ledger_is_wrong_use(name, tmp_path, capsys):
    Ledger(tmp_path / "ledger.sqlite").close()
    assert ON_ONE_RUN[name]([str(tmp_path)]) == 2
    assert "is empty; wait for the run to record its first step" in complaint(capsys)


@pytest.mark.parametrize(
    ("main", "arguments", "words"),
    [
        (footprint, [], "give either a run directory or --corpus DIR; --help shows the usage"),
        (weakness, ["x", "--top", "0"], "'0' is no whole number of 1 or more"),
        (clustering, [], "give either a run directory, --tasks FILE or --corpus DIR"),
        (clustering, ["x", "--tasks", "y"], "give either a run directory, --tasks FILE or --corpus DIR"),
        (clustering, ["x", "--seed", "-1"], "argument --seed: -1 is no seed of KMeans"),
        (health, ["x", "--ouy", "y"], "unrecognized arguments: --ouy y"),
    ],
)
def test_wrong_arguments_are_one_line(main, arguments, words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert words in complaint(capsys)


def test_an_empty_name_is_no_run(capsys):
    assert clustering([""]) == 2
    assert "is not a run directory" in complaint(capsys)


def test_a_folder_that_cannot_be_written_is_one_line(run_path, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert health([str(run_path), "--out", str(tmp_path / "file" / "x")]) == 2
    assert "a part of it is no folder; check the name" in complaint(capsys)


def test_an_episode_can_be_read(run_path, capsys):
    assert episode([str(run_path), "s0003/t1/p0/g0"]) == 0
    said = capsys.readouterr().out
    assert "instruction: please update the invoice of diagnose0 and set it to done" in said
    assert 'update_invoice {"id": "X-0001", "status": "done"}  (required)' in said
    assert '{"created": false, "id": "X-0001"}' in said and "A1: equals on invoice.status" in said


def test_an_episode_without_its_whole_trajectory_says_so(run_path, capsys):
    assert episode([str(run_path), "s0005/p00/g0"]) == 0
    assert "(results were not kept for this episode)" in capsys.readouterr().out


def test_an_unknown_episode_names_the_nearest(run_path, capsys):
    assert episode([str(run_path), "s0003/t1/p0/g00"]) == 2
    assert "has no episode s0003/t1/p0/g00; the nearest ids are: s0003/t1/p0/g0" in complaint(capsys)


def on_a_shared_database(folder, *runs):
    """A directory of static at seed 1 whose ledger holds (path, seed) of some runs."""
    shared = folder / "shared.sqlite"
    with Ledger(shared) as ledger, ledger.transaction() as tx:
        for path, seed in runs:
            row = open_run(path).run
            tx.add(row.replace(seed=seed, config={"name": "sim", "arm": row.arm}))
    config = {"name": "sim", "arm": "static", "seed": 1, "ledger": f"sqlite:///{shared}", "cache": "x"}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_a_shared_database_is_narrowed_by_the_configuration(run_path, other_path, tmp_path):
    shared = on_a_shared_database(tmp_path, (run_path, 0), (other_path, 1))
    assert open_run(shared).run.arm == "static"


def test_the_only_run_of_a_shared_database_may_be_another_one(run_path, tmp_path, capsys):
    assert health([str(on_a_shared_database(tmp_path, (run_path, 0)))]) == 2
    said = complaint(capsys)
    assert f"shared.sqlite holds no run of {tmp_path}/config.json; wait for the run to record its" in said


def test_the_only_run_of_a_shared_database_is_that_of_its_configuration(other_path, tmp_path):
    assert open_run(on_a_shared_database(tmp_path, (other_path, 1))).run.arm == "static"


def test_a_configuration_that_is_no_json_is_one_line(run_path, tmp_path, capsys):
    (tmp_path / "config.json").write_text("{")
    assert health([str(tmp_path)]) == 2
    assert "config.json cannot be read as JSON" in complaint(capsys)


def test_a_picture_carries_its_caption(run_path, tmp_path):
    health([str(run_path), "--out", str(tmp_path)])
    assert b"Training health per update" in (tmp_path / "health.png").read_bytes()
