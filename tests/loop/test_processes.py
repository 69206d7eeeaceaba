"""What processes of a run tell each other, and when they refuse to go on."""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.ledger import ChargeRow, Ledger, RunRow, StepRow
from loop.config import Config
from loop.errors import ConfigError, ProcessesError, RunDirectoryError
from loop.plugins import Plugin
from loop.processes import sentinel
from loop.processes.crew import ALONE, anyone, asked_once, leading, settled, told
from loop.processes.joining import add_arguments, processes_of
from loop.processes.membership import is_loss
from loop.processes.records import config_of, directory_of, ledger_of
from loop.processes.sameness import require_equal, require_equal_records, require_one_run
from loop.processes.shared_author import SharedAuthor
from loop.resuming.interruption import Interruption
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step
from loop.run_directory import RunDirectory, create
from planet.errors import AuthorError
from policy.config import ProcessesConfig
from policy.processes import room
from tests.loop.crews import Member, each


def test_values_are_told_in_the_order_of_the_processes_and_alone_to_oneself() -> None:
    assert each(3, lambda crew: told(crew, crew.index * 10)) == [[0, 10, 20]] * 3
    assert told(ALONE, 7) == [7]


def test_process_0_decides_and_a_flag_of_any_process_counts_for_all() -> None:
    assert each(2, lambda crew: leading(crew, f"of {crew.index}")) == ["of 0", "of 0"]
    assert each(2, lambda crew: anyone(crew, crew.index == 1)) == [True, True]
    assert each(2, lambda crew: anyone(crew, False)) == [False, False]


def test_what_fails_on_one_process_ends_all_and_the_others_say_whose_fault_it_is() -> None:
    def work(crew: Member) -> int:
        def made() -> int:
            if crew.index == 1:
                raise RunDirectoryError("runs/x: in use")
            return 5

        return settled(crew, made)

    first, second, third = each(3, work)
    assert isinstance(second, RunDirectoryError) and str(second) == "runs/x: in use"
    for index, error in ((0, first), (2, third)):
        assert isinstance(error, ProcessesError)
        assert str(error) == f"process {index} ends because process 1 cannot go on: runs/x: in use"
    assert each(2, lambda crew: settled(crew, lambda: crew.index)) == [0, 1]


def test_an_author_is_asked_by_one_process_and_all_get_its_answer_or_its_error() -> None:
    calls: list[int] = []

    class Paid:
        name = "paid"

        def __init__(self, index: int) -> None:
            self.index = index

        def propose(self, link: str, context: object) -> tuple[str, int]:
            calls.append(self.index)
            if link == "R":
                raise AuthorError("no rule", cost=3)
            return f"{link} by {self.index}", 2

    def asked(link: str) -> list[object]:
        return each(2, lambda crew: SharedAuthor(Paid(crew.index), crew).propose(link, None))  # type: ignore[arg-type]

    assert asked("C") == [("C by 0", 2), ("C by 0", 2)]
    errors = asked("R")
    assert [(type(e), str(e), e.cost) for e in errors] == [(AuthorError, "no rule", 3)] * 2  # type: ignore[attr-defined]
    assert calls == [0, 0]
    assert asked_once(ALONE, lambda: 4) == 4


@pytest.mark.parametrize(
    ("name", "told_so"),
    [
        (
            "configuration",
            "process 1 has configuration b, process 0 has a; start all with the same configuration",
        ),
        ("code", "process 1 has code b, process 0 has a; start all from the same commit"),
        ("libraries", "process 1 has libraries b, process 0 has a; install the versions of constraints.txt"),
    ],
)
def test_a_process_that_is_another_run_is_named_with_what_differs(name: str, told_so: str) -> None:
    same = {"configuration": "a", "code": "a", "libraries": "a"}
    require_equal([same, same])
    with pytest.raises(ProcessesError, match=told_so):
        require_equal([same, {**same, name: "b"}, same])


def test_processes_of_two_configurations_both_end() -> None:
    errors = each(2, lambda crew: require_one_run(crew, Config(seed=crew.index)))
    run = [Config(seed=seed).run_id for seed in (0, 1)]
    assert [str(error) for error in errors] == [
        f"process 1 has configuration {run[1]}, process 0 has {run[0]}; start all with the same "
        "configuration file and overrides"
    ] * 2


def test_what_each_process_would_ask_for_itself_is_refused_for_several_and_allowed_alone() -> None:
    asking = Config(demonstrations=Plugin(type="api", model="x"))
    errors = each(2, lambda crew: require_one_run(crew, asking))
    assert all(isinstance(e, ConfigError) and "demonstrations: api would ask" in str(e) for e in errors)
    require_one_run(ALONE, asking)


def test_a_step_with_other_records_on_one_process_ends_all_and_names_the_table() -> None:
    step = Step(4, "update", 0, 1)

    def recorded(crew: Member, steps: int, seen: float) -> None:
        row = ChargeRow(run_id="r", step=4, purpose="train", steps=steps, charged=True)
        require_equal_records(crew, step, Outcome(rows=[row], metrics={"seen": seen}))

    assert each(2, lambda crew: recorded(crew, 7, 0.5)) == [None, None]
    errors = each(2, lambda crew: recorded(crew, 7 + crew.index, 0.5 * crew.index))
    assert all(isinstance(error, ProcessesError) for error in errors)
    start = "process 1 came to other records than process 0 in step 4 (update): charges, metrics; "
    assert [str(error)[: len(start)] for error in errors] == [start, start]


def test_only_process_0_tracks_draws_and_records_and_it_stays_the_same_run() -> None:
    config = Config(ledger="sqlite:///elsewhere.db")
    first, second = each(2, lambda crew: config_of(crew, config))
    assert first == config
    assert (second.tracking.mlflow, second.tracking.jsonl, second.figures, second.ledger) == (
        None, False, False, None,
    )  # fmt: skip
    assert second.run_id == config.run_id and second.recorded() == config.recorded()


def directories(tmp_path: Path, path: Path) -> list[RunDirectory]:
    config = Config(cache=tmp_path / "cache")
    return each(2, lambda crew: directory_of(crew, config, lambda: create(path, config)), scratch=tmp_path)


def test_one_directory_is_made_and_the_other_process_writes_its_checkpoints_there(tmp_path: Path) -> None:
    first, second = directories(tmp_path, tmp_path / "run")
    assert first.path == tmp_path / "run" and second.path == tmp_path / "member-1" / "run"
    assert second.checkpoints == first.checkpoints == tmp_path / "run" / "checkpoints"
    assert second.recorded_worlds == first.worlds and second.worlds != first.worlds
    assert list((tmp_path / "cache").iterdir()) == []
    first.unlock()


def test_a_folder_that_one_process_does_not_see_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loop.processes.records.PATIENCE", 0.0)

    def opened(crew: Member) -> RunDirectory:
        config = Config(cache=tmp_path / f"cache-of-{crew.index}")
        return directory_of(crew, config, lambda: create(tmp_path / "run", config))

    _, error = each(2, opened, scratch=tmp_path)
    assert isinstance(error, ProcessesError)
    assert str(error) == (
        f"process 1 does not see {tmp_path / 'cache-of-1'} of process 0; give a folder that all processes "
        "share as cache"
    )


def test_a_run_that_goes_on_hands_its_records_to_every_process(tmp_path: Path) -> None:
    config = Config(cache=tmp_path / "cache")
    with Ledger(tmp_path / "whole.sqlite") as ledger, ledger.transaction() as transaction:
        for run_id in (config.run_id, "another"):
            transaction.add(
                RunRow(run_id=run_id, name="m", arm="a", seed=0, config_digest="d", config={}),
                StepRow(run_id=run_id, step=0, kind="worlds", iteration=None, detail={"splits_digest": "x"}),
            )
    url = f"sqlite:///{tmp_path / 'whole.sqlite'}"
    places = [RunDirectory(tmp_path / "run"), RunDirectory(tmp_path / "own", shared=tmp_path / "run")]
    for place in places:
        place.path.mkdir()

    def dumped(crew: Member) -> tuple[list[str], list[str]]:
        mine = config.model_copy(update={"ledger": url if crew.index == 0 else None})
        with ledger_of(crew, mine, places[crew.index]) as ledger:
            return ledger.dump(config.run_id), [run.run_id for run in ledger.runs()]

    first, second = each(2, dumped)
    assert len(first[0]) == 2 and second[0] == first[0]
    assert second[1] == [config.run_id] and sorted(first[1]) == sorted(["another", config.run_id])
    assert [path.name for path in places[0].path.iterdir()] == []


class Other:
    """A crew of two, of which the other one says the same again and again."""

    count, index, scratch = 2, 0, None

    def __init__(self, says: bytes) -> None:
        self.says = says
        self.heard: list[bytes] = []

    def gathered(self, said: bytes) -> list[bytes]:
        self.heard.append(said)
        return [said, self.says]


def test_a_signal_to_any_process_ends_all_of_them_after_the_step_in_hand() -> None:
    quiet, told_to_end = Other(b"false"), Other(b"true")
    assert not Interruption(quiet).asked()
    assert Interruption(told_to_end).asked()
    interruption = Interruption(quiet)
    with interruption.listening(lambda line: None):
        os.kill(os.getpid(), signal.SIGTERM)
        assert interruption.asked()
    assert quiet.heard == [b"false", b"true"] and told_to_end.heard == [b"false"]


def asked(*words: str, **environment: str) -> ProcessesConfig:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return processes_of(parser.parse_args(words), environment)


def test_processes_are_asked_for_by_arguments_or_by_the_environment() -> None:
    assert asked() == ProcessesConfig()
    assert asked("--processes", "2", "--coordinator", "a:1", "--process", "1") == ProcessesConfig(
        count=2, coordinator="a:1", index=1
    )
    found = asked("--process", "0", LOOP_PROCESSES="4", LOOP_COORDINATOR="h:2", LOOP_PROCESS="3")
    assert found == ProcessesConfig(count=4, coordinator="h:2", index=0)
    assert asked(LOOP_PROCESSES="4") == ProcessesConfig(count=4)


@pytest.mark.parametrize(
    ("words", "told_so"),
    [
        (("--processes", "two"), "--processes: 'two' is no whole number; give one, e.g. 2"),
        (("--process", "1"), "--process: given for one process; give --processes N of 2 or more"),
        (("--processes", "2", "--coordinator", "here"), "'here' is no HOST:PORT; give e.g. 10.0.0.1:8476"),
        (("--processes", "2", "--coordinator", "8476"), "'8476' is no HOST:PORT"),  # a port alone
        (("--processes", "2", "--coordinator", ":8476"), "':8476' is no HOST:PORT"),
        (("--processes", "2", "--process", "2"), "index=2 is none of count=2 processes; give 0 to 1"),
        (("--processes", "0"), "--processes 0 --process None"),
    ],
)
def test_processes_that_make_no_sense_are_refused_in_one_line(words: tuple[str, ...], told_so: str) -> None:
    with pytest.raises(ConfigError) as refused:
        asked(*words)
    assert told_so in str(refused.value) and "\n" not in str(refused.value)


def test_a_death_is_told_in_one_line_and_another_end_with_what_libraries_wrote() -> None:
    fatal = "F1130 client.h:80] Terminating process because the distributed service detected fatal errors."
    assert sentinel.last_words("process 1 of 2", "run --resume", f"noise\n{fatal}\n@ 0x7f") == (
        "process 1 of 2 ends because another one ended or cannot be reached; the other one's last line says "
        "why. When all have ended, continue with: run --resume"
    )
    assert sentinel.last_words("process 1 of 2", "run", "[Gloo] Rank 1\n\nout of memory\n") == (
        "out of memory\nprocess 1 of 2 was ended from outside, or by a fault of a library; continue with: run"
    )


@pytest.mark.parametrize(("said", "heard"), [("", True), (sentinel.FAREWELL, False)])
def test_the_sentinel_speaks_when_its_process_ends_without_a_word_and_clears_up(
    said: str, heard: bool, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-c", sentinel.PROGRAM, "process 1 of 2", "run", str(scratch)]
    done = subprocess.run(
        [*command, str(scratch / "log")], input=said, capture_output=True, text=True, check=True
    )
    assert ("was ended from outside" in done.stderr) == heard and done.stdout == ""
    assert not scratch.exists()


def test_what_libraries_write_past_python_goes_to_the_log_and_pythons_own_lines_do_not(
    tmp_path: Path,
) -> None:
    code = (
        "import os, sys; from pathlib import Path; from loop.processes.quiet import libraries_to\n"
        f"with libraries_to(Path({str(tmp_path / 'log')!r})):\n"
        "    os.write(1, b'past 1\\n'); os.write(2, b'past 2\\n')\n"
        "    print('said'); print('bad', file=sys.stderr)\n"
        "os.write(1, b'after\\n')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("said\nafter\n", "bad\n")
    assert (tmp_path / "log").read_text() == "past 1\npast 2\n"


def test_only_what_libraries_say_of_other_processes_counts_as_their_loss() -> None:
    assert is_loss(ValueError("UNKNOWN: Gloo AllGather failed: Connection closed by peer"))
    wrapped = OSError("could not save")
    wrapped.__cause__ = RuntimeError("DEADLINE_EXCEEDED: Barrier timed out")
    assert is_loss(wrapped)
    assert not is_loss(ValueError("bad weight"))
    assert not is_loss(ConfigError("gloo: unknown key"))


def test_what_is_sent_has_one_of_few_lengths() -> None:
    assert [room(n) for n in (0, 1, 256, 257, 5000)] == [256, 256, 256, 512, 8192]
