"""`python -m planet.validate` says which worlds of a folder pass, and why the others do not."""

from pathlib import Path

import pytest

from planet.records.world import World, WorldKey
from planet.store import write_world
from planet.validate import main
from tests.planet import overlays
from tests.planet.violating_worlds import VIOLATIONS
from tests.planet.worlds import changed, toy_world


def folder_of(path: Path, *cases: tuple[World, WorldKey]) -> Path:
    for world, key in cases:
        write_world(path, world, key, ())
    return path


def test_a_folder_of_sound_worlds_ends_in_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder_of(tmp_path, toy_world()))]) == 0
    assert capsys.readouterr().out == "1 of 1 worlds pass all twelve validators\n"


def test_a_refused_world_ends_in_1_and_names_its_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world, key = VIOLATIONS["V09"]["a write"]
    assert main([str(folder_of(tmp_path, (world, key)))]) == 1
    assert capsys.readouterr().out == (
        f"{world.id}  V09 RULE-01 must be one SELECT, not 'DELETE FROM \"customer\"'\n"
        f"{world.id}  not checked: V10\n"
        "0 of 1 worlds pass all twelve validators\n"
        "V09: 1 (holds when hidden checks are single read-only SELECTs in bounds)\n"
    )


def test_an_unreadable_world_ends_in_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world, key = toy_world()
    folder_of(tmp_path, (world, key))
    (tmp_path / "worlds" / f"{world.id}.json").write_text("{")
    assert main([str(tmp_path)]) == 1
    assert f"{world.id}  unreadable: world {world.id} in" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["{tmp}"], [], ["{tmp}/none"], ["{tmp}", "--overlay", "{tmp}/none"]])
def test_wrong_use_ends_in_2_and_one_line(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "--overlay" in arguments:
        folder_of(tmp_path, toy_world())
    try:
        code = main([a.format(tmp=tmp_path) for a in arguments])
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    assert code == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("python -m planet.validate: ")


HINT = "if they were made with an overlay, name it: --overlay DIR\n"


@pytest.mark.parametrize("option", ["--overlay", "--catalog"])
def test_worlds_of_an_overlay_pass_with_it_under_either_name(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    overlay = overlays.write(tmp_path / "mine", {"countries.yaml": [overlays.ELBONIA]})
    company = toy_world()[0].company.replace(
        country="XE", currency="XEB", locale="en_XE", time_zone="Europe/Berlin"
    )
    folder = folder_of(tmp_path / "worlds", toy_world(), changed(company=company))
    assert main([str(folder)]) == 1
    out = capsys.readouterr().out
    assert "V01 the catalog has no country" in out
    assert out.endswith(
        "1 of 2 worlds have an industry, country or kind of service that the shipped catalog has not; " + HINT
    )
    assert main([str(folder), option, str(overlay)]) == 0
    assert capsys.readouterr().out == "2 of 2 worlds pass all twelve validators\n"


def test_a_world_that_fails_for_another_reason_is_told_of_no_overlay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(folder_of(tmp_path, VIOLATIONS["V09"]["a write"]))])
    assert "overlay" not in capsys.readouterr().out
