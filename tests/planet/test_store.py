"""Worlds on disk: what was written is read, what was changed is refused, what is half there is not there."""

import json
import os
import sqlite3

import pytest

from planet.author.template import TemplateAuthor
from planet.errors import StorageError
from planet.records.world import Brief
from planet.store import entries, read_world, world_ids, write_world
from planet.synthesize import synthesize
from tests.planet.toy_tasks import toy_task, vip_task
from tests.planet.worlds import toy_world

TASKS = (toy_task(), vip_task())
FILES = ("worlds/{}.json", "worlds/{}.sqlite", "tasks/{}.jsonl", "keys/{}.json", "keys/{}.tasks.jsonl")


@pytest.fixture
def folder(tmp_path):
    """A folder whose name is no plain URI, with the toy world in it."""
    made = tmp_path / "my worlds #1?"
    write_world(made, *toy_world(), TASKS)
    return made


def files(folder) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_world_is_read_back_as_it_was_written(folder, dozen):
    world, key = toy_world()
    assert read_world(folder, world.id) == (world, key, TASKS)
    for made in dozen:
        write_world(folder, made.world, made.key, made.tasks)
    for made in dozen:
        assert read_world(folder, made.world.id) == (made.world, made.key, made.tasks)
    assert world_ids(folder) == tuple(sorted([world.id, *(made.world.id for made in dozen)]))


def test_what_a_policy_may_read_lies_apart_from_the_keys(folder):
    key = toy_world()[1]
    secret = [key.invariants[0].sql, '"oracle"', '"assertions"', "RULE-01"]
    for name, content in files(folder).items():
        if not name.startswith("keys/"):
            assert not any(text in content.decode(errors="replace") for text in secret), name


def test_the_database_can_be_read_with_any_sqlite_tool(folder):
    path = folder / "worlds" / f"{toy_world()[0].id}.sqlite"
    assert sqlite3.connect(path).execute("SELECT name FROM customer ORDER BY id").fetchall()[0] == (
        "Barra Valves",
    )


def test_the_manifest_says_how_large_each_world_is(folder):
    entry = dict(entries(folder)[toy_world()[0].id])
    assert len(entry.pop("digest")) == 16
    assert entry == {
        "industry": "manufacturing", "country": "BR", "tables": 2, "rows": 6, "tools": 10, "checks": 2,
        "tasks": 2, "note": {},
    }  # fmt: skip


def test_writing_a_world_again_changes_no_byte(folder):
    before = files(folder)
    write_world(folder, *toy_world(), TASKS)
    assert files(folder) == before
    assert sorted(before) == sorted(["manifest.json", *(f.format(toy_world()[0].id) for f in FILES)])


def test_equal_seeds_give_equal_bytes(tmp_path, catalog):
    for name in ("one", "two"):
        for seed in (1, 2):
            made = synthesize(Brief(text="a company"), TemplateAuthor(), catalog, seed, tasks=4)
            write_world(tmp_path / name, made.world, made.key, made.tasks)
    assert files(tmp_path / "one") == files(tmp_path / "two")


# ── what is refused ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("worlds/{}.json", "Aroeira Pumps", "Aroeira Bombs", "its content hashes to"),
        (
            "worlds/{}.json",
            "a manufacturer with",
            "a distributor with",
            "its brief, key or tasks do not match",
        ),
        ("worlds/{}.sqlite", "Barra Valves", "Burra Valves", "its content hashes to"),
        ("keys/{}.json", "'vip'", "'vop'", "its brief, key or tasks do not match"),
        ("keys/{}.tasks.jsonl", "700.0", "7.0", "its brief, key or tasks do not match"),
        ("tasks/{}.jsonl", "to 700", "to 800", "its brief, key or tasks do not match"),
        ("tasks/{}.jsonl", "\n", " ", "cannot be read"),
        ("keys/{}.json", "{", "[", "cannot be read"),
        ("worlds/{}.json", '"name"', '"nome"', "cannot be read"),
    ],
)
def test_a_changed_world_is_refused(folder, file, old, new, message):
    name = toy_world()[0].id
    path = folder / file.format(name)
    content = path.read_bytes()
    assert old.encode() in content
    path.write_bytes(content.replace(old.encode(), new.encode(), 1))
    with pytest.raises(StorageError, match=message):
        read_world(folder, name)


@pytest.mark.parametrize("file", FILES)
def test_a_missing_or_broken_file_is_one_line(folder, file):
    name = toy_world()[0].id
    path = folder / file.format(name)
    for content in (b"\xff\xfe\x00 broken", b""):
        path.write_bytes(content)
        with pytest.raises(StorageError, match=f"world {name} in .* (cannot be read|was changed)") as caught:
            read_world(folder, name)
        assert "\n" not in str(caught.value)
    path.unlink()
    with pytest.raises(StorageError, match=f"world {name} in .* cannot be read"):
        read_world(folder, name)


def test_a_database_with_other_types_is_refused(folder):
    name = toy_world()[0].id
    path = folder / "worlds" / f"{name}.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE other AS SELECT * FROM customer; DROP TABLE customer;"
        "ALTER TABLE other RENAME TO customer;"
        "UPDATE customer SET name = x'00ff' WHERE id = 'CUS-0001';"
    )
    connection.close()
    with pytest.raises(StorageError, match="cannot be read"):
        read_world(folder, name)


def test_a_task_of_another_folder_is_refused(folder, tmp_path):
    name = toy_world()[0].id
    write_world(tmp_path / "other", *toy_world(), TASKS[:1])
    for part in (f"tasks/{name}.jsonl", f"keys/{name}.tasks.jsonl"):
        (folder / part).write_bytes((tmp_path / "other" / part).read_bytes())
    with pytest.raises(StorageError, match="its brief, key or tasks do not match"):
        read_world(folder, name)


@pytest.mark.parametrize("name", ["nothing", "../x", "", "0" * 16])
def test_a_world_that_is_not_in_the_manifest_is_named(folder, name):
    with pytest.raises(StorageError, match=f"holds no world '{name}'; its worlds are in"):
        read_world(folder, name)


def test_a_world_that_was_half_written_is_not_there(folder, dozen, monkeypatch):
    made = dozen[0]
    before = world_ids(folder)
    written = []

    def failing(source, target):
        written.append(str(target))
        if len(written) == 4:
            raise OSError(28, "No space left on device")
        real(source, target)

    real = os.replace
    monkeypatch.setattr("pathlib.Path.replace", failing)
    with pytest.raises(OSError, match="No space left"):
        write_world(folder, made.world, made.key, made.tasks)
    monkeypatch.undo()
    assert world_ids(folder) == before
    assert not list(folder.rglob("*.part"))
    with pytest.raises(StorageError, match="holds no world"):
        read_world(folder, made.world.id)
    write_world(folder, made.world, made.key, made.tasks)  # and it can be written afterwards
    assert read_world(folder, made.world.id).tasks == made.tasks


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"worlds": 1, "format": 1}',
        '{"format": 7, "worlds": {}}',
        '{"format": 1, "worlds": {"0123456789abcdef": {}}}',
        '{"format": 1, "worlds": {"0123456789abcdef": {"note": 5}}}',
        '{"format": 1, "worlds": {"0123456789abcdef": {"note": {}}}}',
        '{"format": 1, "worlds": {"0123456789abcdef": 5}}',
    ],
)
def test_a_broken_manifest_is_one_line_with_a_remedy(folder, content):
    (folder / "manifest.json").write_text(content)
    with pytest.raises(StorageError, match=r"cannot be read .*; restore it or synthesize again"):
        world_ids(folder)


def test_a_folder_without_worlds_says_how_to_make_some(tmp_path):
    with pytest.raises(
        StorageError, match=r"holds no worlds: .* is missing; make some with planet.synthesize"
    ):
        world_ids(tmp_path)


def test_a_manifest_that_changed_meanwhile_is_read_anew(folder, dozen):
    made = dozen[0]
    assert made.world.id not in world_ids(folder)
    write_world(folder, made.world, made.key, made.tasks, note={"from": "a brief"})
    assert made.world.id in world_ids(folder)
    assert json.loads((folder / "manifest.json").read_text())["worlds"][made.world.id]["note"] == {
        "from": "a brief"
    }
