"""Worlds on disk: what was written is read, what was changed is refused, what is half there is not there."""

import json
import os
import sqlite3

import pytest

from planet.audit import main as audit
from planet.author.template import TemplateAuthor
from planet.census.__main__ import main as census
from planet.errors import StorageError
from planet.inspect.__main__ import main as inspect
from planet.records.world import Brief
from planet.store import entries, read_world, world_ids, world_named, write_world
from planet.synthesize import synthesize
from planet.validate import main as validate
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


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "it is a list, not an object"),
        ("{}", "its format is missing or null, not 1"),
        ('{"format": true, "worlds": {}}', "its format is true, not 1"),
        ('{"format": 1}', "what it has as worlds is missing or null, not an object"),
        ('{"format": 1, "worlds": []}', "what it has as worlds is a list, not an object"),
        (
            '{"format": 1, "worlds": {"0123456789abcdef": null}}',
            "its entry of world 0123456789abcdef is missing or null, not an object",
        ),
        (
            '{"format": 1, "worlds": {"0123456789abcdef": {"tables": "2"}}}',
            'its entry of world 0123456789abcdef has "2" as tables, not a whole number',
        ),
        ("[" * 100_000, "it is nested too deep"),
    ],
)
def test_a_manifest_of_the_wrong_kind_is_told_in_words(folder, content, said):
    (folder / "manifest.json").write_text(content)
    with pytest.raises(StorageError) as caught:
        world_ids(folder)
    path = folder / "manifest.json"
    assert str(caught.value) == f"{path} cannot be read ({said}); restore it or synthesize again"


@pytest.mark.parametrize("main", [validate, audit, census, lambda given: inspect([*given, "ab"])])
def test_a_manifest_without_a_world_is_refused_by_whatever_reads_worlds(tmp_path, capsys, main):
    (tmp_path / "manifest.json").write_text('{"format": 1, "worlds": {}}')
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith(f"{tmp_path} holds no worlds; make some with planet.synthesize\n")


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "worlds/{}.json",
            '"country":"BR"',
            '"country":5',
            r"\.country is 5, which should be a valid string",
        ),
        ("worlds/{}.json", '"country":"BR",', "", r"\.country is missing"),
        ("worlds/{}.json", '"country":"BR"', '"country":"BR","x":1', r"\.x is no field that is known"),
        ("tasks/{}.jsonl", '"role":"', '"role":7,"x":"', "line 1: role is 7, which should be a valid string"),
        ("keys/{}.json", "{", "[", "invalid JSON"),
    ],
)
def test_what_is_wrong_with_a_record_is_said_with_its_file_field_and_value(folder, file, old, new, said):
    name = toy_world()[0].id
    path = folder / file.format(name)
    content = path.read_text()
    assert old in content
    path.write_text(content.replace(old, new, 1))
    with pytest.raises(StorageError, match=f"cannot be read: {file.format(name)}: .*{said}") as caught:
        read_world(folder, name)
    assert "\n" not in str(caught.value) and "validation error" not in str(caught.value)


def test_a_long_value_is_shortened(folder):
    name = toy_world()[0].id
    key = folder / "keys" / f"{name}.json"
    key.write_text(json.dumps({"world_id": name, "invariants": "z" * 1000}))
    # a mark, 56 letters and three dots are 60
    with pytest.raises(StorageError, match=rf"invariants is '{'z' * 56}\.\.\., which should be"):
        read_world(folder, name)


def test_a_task_without_a_key_is_counted(folder):
    name = toy_world()[0].id
    path = folder / "keys" / f"{name}.tasks.jsonl"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    with pytest.raises(StorageError, match=r"cannot be read: it has 2 tasks but keys of 1$"):
        read_world(folder, name)


def test_the_worlds_there_are_end_in_dots_only_when_there_are_more(folder, dozen):
    name = toy_world()[0].id
    with pytest.raises(StorageError, match=rf"holds no world 'zz'; there is {name}$"):
        world_named(folder, "zz")
    for made in dozen[:3]:
        write_world(folder, made.world, made.key, made.tasks)
    first = ", ".join(world_ids(folder)[:3])
    with pytest.raises(StorageError, match=rf"there are {first}, \.\.\.$"):
        world_named(folder, "zz")
    with pytest.raises(StorageError, match=rf"4 worlds begin with '': {first}, \.\.\.; write more of it"):
        world_named(folder, "")


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
