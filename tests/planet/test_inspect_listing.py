"""`python -m planet.inspect DIR` lists what there is to inspect."""

from pathlib import Path

import pytest

from planet.inspect.__main__ import main
from planet.store import write_world
from tests.planet.toy_tasks import toy_task, vip_task
from tests.planet.worlds import changed, toy_world

TOY = toy_world()[0].id


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The toy world with two tasks, and another company without any."""
    write_world(tmp_path, *toy_world(), (toy_task(), vip_task()))
    other = toy_world()[0].company.replace(name="Nimbus\x1b[2J Optics", industry="retail")
    write_world(tmp_path, *changed(company=other), ())
    return tmp_path


def test_every_world_is_a_line_with_its_tasks_and_company(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(folder)]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert f"{TOY}    2 tasks  manufacturing  BR  Aroeira Pumps" in lines and len(lines) == 2
    (other,) = (line for line in lines if not line.startswith(TOY))
    assert other[16:] == "    0 tasks  retail         BR  Nimbus\\x1b[2J Optics"  # moves no cursor
    assert last == f"2 worlds; show one with: python -m planet.inspect {folder} WORLD_ID"


def test_an_unreadable_world_is_named_and_the_others_are_listed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "worlds" / f"{TOY}.json").write_text("{")
    assert main([str(folder)]) == 1
    out = capsys.readouterr().out
    assert f"{TOY}  unreadable: " in out and "Nimbus" in out


@pytest.mark.parametrize("option", ["--html", "--task"])
def test_what_is_of_one_world_wants_its_id(
    option: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([str(folder), option, "x"])
    said = capsys.readouterr().err
    assert ended.value.code == 2 and said.count("\n") == 1
    assert f"{option} is of one world; write its id, or how it begins" in said
