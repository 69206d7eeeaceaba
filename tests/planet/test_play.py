"""Playing by hand: what is told is no turn, what is called is one, and a terminal gets a prompt."""

import io
import json
import os
import pty
import select
import subprocess
import sys

import pytest

from planet import play
from planet.errors import GraderError
from planet.records.view import ToolSpec
from planet.replay import read_trajectory
from planet.store import write_world
from tests.planet.toy_tasks import toy_task, vip_task
from tests.planet.worlds import changed, toy_world

TOY = toy_world()[0].id
TASK = toy_task()


@pytest.fixture
def playing(tmp_path, capsys, monkeypatch):
    """Play lines on the toy world; exit code and lines printed."""
    write_world(tmp_path, *toy_world(), (TASK, vip_task()))

    def run(*lines: str) -> tuple[int, list[str]]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        code = play.main([str(tmp_path), TOY, TASK.id])
        return code, capsys.readouterr().out.splitlines()

    return run


GOLD = 'update_customer {"id": "CUS-0001", "tier": "gold", "credit": 700}'


def test_looking_things_up_in_the_command_itself_is_no_turn(playing):
    words = ["tools", "help", "", "help update_customer", "help nothing", "task", "history"]
    code, lines = playing(*words * 3, GOLD, "answer done")
    assert (code, lines[-1]) == (0, "all pass; reward 1.000 (score 1.000, doing nothing 0.000)")
    assert "no call yet" in lines
    assert not any("penalty" in line for line in lines)


def test_tools_are_listed_with_what_they_need_and_what_they_take(playing):
    _, lines = playing("tools", "quit")
    assert "  get_customer                 id" in lines
    assert "  list_customer                [page]" in lines
    _, lines = playing("help update_customer", "help search_ticket", "quit")
    for line in (
        "Change a customer; without id, create one.",
        "  tier             basic | gold | vip",
        "  credit           number",
        "  join_date        date",
        "  filters          list of {column: id | title | status | severity | hours | urgent | customer_id, "
        "op: = | < | > | contains, value: any value}, needed",
        "  page             integer",
    ):
        assert line in lines


def test_a_mistake_is_a_turn_and_its_remedy_is_named(playing):
    _, lines = playing(
        "update_custmer {}", 'get_customer {"id": ', "get_customer [1]", "fly", GOLD, "answer x"
    )
    assert "unknown tool 'update_custmer'; did you mean update_customer?" in lines
    assert "unknown tool 'fly'" in lines
    unread = "the output could not be read as a tool call: what follows the tool must be a JSON object"
    assert lines.count(unread) == 2
    assert "  penalty: degenerate × 0.6561" in lines  # 0.9⁴


def test_the_history_shows_every_call_with_its_result(playing):
    _, lines = playing('get_customer {"id": "CUS-0009"}', "fly", GOLD, "history", "quit")
    at = lines.index('  1 get_customer {"id": "CUS-0009"}')
    assert lines[at + 1 : at + 6] == [
        "    no customer has id 'CUS-0009'",
        "  2 fly {}",
        "    unknown tool 'fly'",
        '  3 update_customer {"id": "CUS-0001", "tier": "gold", "credit": 700}',
        '    {"id": "CUS-0001", "created": false}',
    ]


def test_quitting_is_graded_as_it_stands(playing):
    code, lines = playing(GOLD, "quit", "answer never read")
    assert (code, lines[-1][:9]) == (0, "all pass;")
    code, lines = playing("quit")
    assert (code, lines[-1][:13]) == (1, "not all pass;")


def test_what_a_file_holds_cannot_move_the_cursor(tmp_path, capsys, monkeypatch):
    company = toy_world()[0].company.replace(name="Pumps\x1b[2J\u202e\x9b1A")
    world, key = changed(company=company)
    task = toy_task(world, "do \x1b]0;x\x07 it")
    odd = ToolSpec(name="get_customer", operation="get", resource="customer", service=None,
                   description="\x1b[31m", parameters={"properties": 7})  # fmt: skip
    task = task.replace(view=task.view.replace(tools=(odd,)))
    write_world(tmp_path, world, key, (task,))
    monkeypatch.setattr(sys, "stdin", io.StringIO("tools\nhelp get_customer\n\x1b[2J\nhistory\nquit\n"))
    assert play.main([str(tmp_path), world.id, task.id]) == 1
    out = capsys.readouterr().out
    assert all(c.isprintable() or c == "\n" for c in out)
    assert "Pumps\\x1b[2J\\u202e\\x9b1A, you are its coordinator." in out


def test_in_a_terminal_there_is_a_prompt_and_a_result_has_a_line_per_field(tmp_path):
    write_world(tmp_path, *toy_world(), (TASK,))
    mine, theirs = pty.openpty()
    command = [sys.executable, "-m", "planet.play", str(tmp_path), TOY, TASK.id]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as game:
        os.close(theirs)
        os.write(mine, b'get_customer {"id": "CUS-0001"}\nanswer done\n')
        said = b""
        while game.poll() is None or select.select([mine], [], [], 0)[0]:
            if select.select([mine], [], [], 0.1)[0]:
                try:
                    said += os.read(mine, 65_536)
                except OSError:  # the other side has gone
                    break
        assert game.wait(30) == 1
    os.close(mine)
    text = said.decode()
    assert "8 left > " in text and "7 left > " in text
    assert '"name": "Barra Valves",\r\n' in text
    assert "not all pass; reward 0.000" in text


def test_the_result_in_a_pipe_is_json_on_one_line(playing):
    _, lines = playing('get_customer {"id": "CUS-0001"}', "quit")
    (row,) = [json.loads(line) for line in lines if line.startswith("{")]
    assert row["name"] == "Barra Valves"


def test_a_place_where_nothing_can_be_saved_is_told_before_anything_is_played(tmp_path, capsys, monkeypatch):
    write_world(tmp_path, *toy_world(), (TASK,))
    monkeypatch.setattr(sys, "stdin", io.StringIO("answer done\n"))
    for place, said in (
        (tmp_path, f"{tmp_path}: is a folder; give the name of a file in it"),
        (tmp_path / "no" / "x", f"{tmp_path}/no/x: its folder does not exist; make it, or check the name"),
        (tmp_path / "manifest.json" / "x", "a part of it is no folder; check the name"),
    ):
        assert play.main([str(tmp_path), TOY, TASK.id, "--save", str(place)]) == 2
        out, err = capsys.readouterr()
        assert out == "" and said in err and err.count("\n") == 1
    assert sys.stdin.read() == "answer done\n"


def test_the_grade_is_told_even_when_the_disk_is_full_in_the_end(tmp_path, capsys, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device", str(path))

    write_world(tmp_path, *toy_world(), (TASK,))
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{GOLD}\nanswer done\n"))
    monkeypatch.setattr(play, "write_whole", full)
    assert play.main([str(tmp_path), TOY, TASK.id, "--save", str(tmp_path / "t.json")]) == 2
    out, err = capsys.readouterr()
    assert out.splitlines()[-1].startswith("all pass; reward 1.000")
    assert f"{tmp_path}/t.json: no space is left; free some" in err


def test_what_was_played_is_kept_when_it_cannot_be_graded(tmp_path, capsys, monkeypatch):
    def fail(session):
        raise GraderError("rule RULE-01 cannot be checked")

    write_world(tmp_path, *toy_world(), (TASK,))
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{GOLD}\nanswer done\n"))
    monkeypatch.setattr(play.Session, "grade", fail)
    assert play.main([str(tmp_path), TOY, TASK.id, "--save", str(tmp_path / "t.json")]) == 2
    assert "RULE-01 cannot be checked" in capsys.readouterr().err
    (call,) = read_trajectory(tmp_path / "t.json").calls
    assert call.tool == "update_customer"


UNANSWERED = "the lines ended without an answer, so it is graded as it stands; to end an episode: answer TEXT"


def test_a_script_that_ends_without_an_answer_is_told_so(playing):
    code, lines = playing(GOLD)
    assert code == 0 and lines.count(UNANSWERED) == 1
    for last in ("answer done", "quit"):
        _, lines = playing(GOLD, last)
        assert UNANSWERED not in lines


def test_the_help_says_what_an_unreadable_line_costs(capsys):
    with pytest.raises(SystemExit):
        play.main(["--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "costs a turn and a penalty, as a policy's would: a tenth of the reward each" in told
