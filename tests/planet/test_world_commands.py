"""PLANET's commands: what they print, what they leave behind, how they refuse."""

import io
import json
import shutil
import subprocess
import sys

import pytest

import planet.corpus
from planet import audit, play, replay
from planet.corpus import main as synthesize
from planet.inspect import __main__ as inspect
from planet.records.episode import Trajectory
from planet.store import entries, read_world, world_ids, write_world
from tests.planet.overlays import ELBONIA, write
from tests.planet.toy_tasks import toy_task, vip_task
from tests.planet.worlds import changed, toy_world

TOY = toy_world()[0].id


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    """A folder of three template worlds."""
    folder = tmp_path_factory.mktemp("worlds")
    assert synthesize(["--count", "3", "--out", str(folder), "--tasks", "4"]) == 0
    return folder


@pytest.fixture
def toys(tmp_path):
    """A folder with the toy world and two tasks."""
    write_world(tmp_path, *toy_world(), (toy_task(), vip_task()))
    return tmp_path


def files(folder) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def refusal(capsys, main, *arguments) -> str:
    """The one line with which a command refuses."""
    try:
        code = main([str(a) for a in arguments])
    except SystemExit as error:
        code = error.code
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "")
    assert captured.err.count("\n") == 1
    return captured.err.strip()


# ── synthesize ────────────────────────────────────────────────────────────────────────────────────


def test_synthesize_ends_with_what_was_made_and_what_to_type_next(tmp_path, capsys):
    assert synthesize(["--count", "2", "--out", str(tmp_path / "w")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("2 of 2 worlds: ")
    assert lines[0].endswith(", 20 audited tasks")
    assert lines[-1].startswith(f"in {tmp_path / 'w'}; look at one with: python -m planet.inspect ")
    assert inspect.main(lines[-1].split("planet.inspect ")[1].split()) == 0


def test_the_output_is_the_same_whatever_the_number_of_processes(tmp_path, worlds):
    two = tmp_path / "two"
    assert synthesize(["--count", "3", "--out", str(two), "--tasks", "4", "--jobs", "2"]) == 0
    assert files(two) == files(worlds)


def test_processes_that_are_elsewhere_write_to_the_folder_that_was_meant(tmp_path, worlds, monkeypatch):
    # processes are used again: those of an earlier command stand in the folder where that one was typed
    assert synthesize(["--count", "2", "--out", str(tmp_path / "first"), "--tasks", "4", "--jobs", "2"]) == 0
    monkeypatch.chdir(tmp_path)
    assert synthesize(["--count", "3", "--out", "second", "--tasks", "4", "--jobs", "2"]) == 0
    assert files(tmp_path / "second") == files(worlds)


def test_another_seed_makes_other_worlds(tmp_path, worlds):
    assert synthesize(["--count", "1", "--out", str(tmp_path), "--tasks", "4", "--seed", "1"]) == 0
    assert not set(world_ids(tmp_path)) & set(world_ids(worlds))


def test_an_interrupted_command_goes_on_and_keeps_what_is_there(tmp_path, worlds, monkeypatch, capsys):
    orders = []

    def interrupted(order):
        orders.append(order)
        if len(orders) == 3:
            raise KeyboardInterrupt
        return make(order)

    make = planet.corpus.make
    monkeypatch.setattr(planet.corpus, "make", interrupted)
    command = ["--count", "3", "--out", str(tmp_path), "--tasks", "4"]
    assert synthesize(command) == 130
    assert "the same command goes on" in capsys.readouterr().out
    assert len(world_ids(tmp_path)) == 2
    monkeypatch.setattr(planet.corpus, "make", lambda order: orders.append(order) or make(order))
    assert synthesize(command) == 0
    assert len(orders) == 4  # only the third is made again
    assert files(tmp_path) == files(worlds)
    assert synthesize(command) == 0
    assert len(orders) == 4


def test_worlds_that_a_folder_has_are_left_as_they_are_by_an_order_for_other_tasks_or_words(
    tmp_path, worlds, capsys
):
    again = tmp_path / "w"
    shutil.copytree(worlds, again)
    before = files(again)
    for other in (("--tasks", "3"), ("--tasks", "4", "--brief", "a company in any industry")):
        capsys.readouterr()
        synthesize(["--count", "3", "--out", str(again), *other])
        assert "refused      3  made before" in capsys.readouterr().out
        assert files(again) == before
    assert audit.main([str(again)]) == 0


def test_a_corpus_can_be_enlarged(tmp_path, worlds):
    command = ["--out", str(tmp_path), "--tasks", "4"]
    assert synthesize([*command, "--count", "1"]) == 0
    assert synthesize([*command, "--count", "3"]) == 0
    assert files(tmp_path) == files(worlds)


def test_free_text_is_understood_and_said_so(tmp_path, capsys):
    text = "a Brazilian manufacturer with sales, support and a warehouse"
    assert synthesize(["--count", "1", "--out", str(tmp_path), "--brief", text, "--tasks", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith('Understood: country Brazil (from "Brazilian"); industry manufacturing')
    world = read_world(tmp_path, world_ids(tmp_path)[0]).world
    assert (world.company.country, world.company.industry) == ("BR", "manufacturing")
    assert {"crm", "support", "inventory"} <= {service.kind for service in world.graph.services}


def test_named_country_and_industry_come_before_free_text(tmp_path):
    command = ["--count", "1", "--out", str(tmp_path), "--tasks", "2", "--brief", "a Brazilian manufacturer"]
    assert synthesize([*command, "--country", "JP"]) == 0
    (entry,) = entries(tmp_path).values()
    assert (entry["country"], entry["industry"]) == ("JP", "manufacturing")


def test_a_library_world_is_made_on_request(tmp_path):
    assert synthesize(["--count", "1", "--out", str(tmp_path), "--profile", "library", "--tasks", "2"]) == 0
    (entry,) = entries(tmp_path).values()
    assert entry["tables"] >= 12
    assert entry["rows"] > 1000


def test_entries_of_an_overlay_can_be_asked_for(tmp_path):
    overlay = write(tmp_path / "own", {"countries.yaml": [ELBONIA]})
    command = ["--count", "1", "--out", str(tmp_path / "w"), "--tasks", "2"]
    assert synthesize([*command, "--overlay", str(overlay), "--country", "XE"]) == 0
    assert [entry["country"] for entry in entries(tmp_path / "w").values()] == ["XE"]


def test_an_author_that_makes_nothing_is_told_with_its_reasons(tmp_path, capsys):
    command = ["--count", "2", "--out", str(tmp_path / "w"), "--author", "tests.planet.scripts:MuteAuthor"]
    assert synthesize(command) == 1
    out = capsys.readouterr().out
    assert out.startswith("0 of 2 worlds: 0 tables")
    assert "refused      6  author         proposals of which no world can be made" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "the following arguments are required: --count, --out"),
        (("--count", "0", "--out", "w"), "argument --count: '0' is no whole number of 1 or more"),
        (("--count", "-3", "--out", "w"), "argument --count: '-3' is no whole number of 1 or more"),
        (
            ("--count", "2", "--out", "w", "--jobs", "x"),
            "argument --jobs: 'x' is no whole number of 1 or more",
        ),
        (("--count", "2", "--out", "w", "--industry", "bankng"), "the catalog has no industry 'bankng'"),
        (("--count", "2", "--out", "w", "--country", "ZZ"), "the catalog has no country code 'ZZ'"),
        (("--count", "2", "--out", "w", "--brief", " "), "the brief is empty; write e.g."),
        (
            ("--count", "2", "--out", "w", "--author", "llama"),
            "no author 'llama'; write template, llm, or module:Class",
        ),
        (("--count", "2", "--out", "w", "--author", "nowhere:X"), "No module named 'nowhere'"),
        (
            ("--count", "2", "--out", "w", "--author", "tests.planet.scripts:NoAuthor"),
            "needs a name and a method propose(link, context)",
        ),
        (("--count", "2", "--out", __file__), "is no folder; name another with --out"),
        (("--count", "2", "--out", "w", "--overlay", "nowhere"), "nowhere"),
        (("--count", "2", "--out", "w", "--colour", "red"), "unrecognized arguments: --colour red"),
    ],
)
def test_wrong_use_of_synthesize_is_one_line_and_leaves_nothing(
    tmp_path, monkeypatch, capsys, arguments, message
):
    monkeypatch.chdir(tmp_path)
    line = refusal(capsys, synthesize, *arguments)
    assert line.startswith("python -m planet.synthesize: ")
    assert message in line
    assert not list(tmp_path.iterdir())


# ── audit ─────────────────────────────────────────────────────────────────────────────────────────


def test_audit_of_sound_tasks_is_a_table_of_passes(worlds, capsys):
    assert audit.main([str(worlds)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 13 + 1
    assert lines[8].split()[:4] == ["A08", "12", "0", "0"]
    assert lines[-1].startswith("12 tasks of 3 worlds audited in ")
    assert lines[-1].endswith("; 0 did not pass")


def test_audit_names_the_task_and_the_rule_and_exits_with_1(tmp_path, capsys):
    bad = toy_task(oracle=())
    write_world(tmp_path, *toy_world(), (toy_task(), bad))
    assert audit.main([str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert f"{TOY}  {bad.id}  A08 the oracle earns 0.00; every call succeeded; collateral ()" in out
    assert "A09          1       0            1  another correct plan earns 1.0" in out


def test_a_world_that_was_changed_fails_the_audit_and_the_others_go_on(toys, capsys):
    write_world(toys, *changed(slice=("customer",)), ())
    path = toys / "keys" / f"{TOY}.json"
    path.write_text(path.read_text().replace("'vip'", "'vop'"))
    assert audit.main([str(toys)]) == 1
    out = capsys.readouterr().out
    assert f"{TOY}  world {TOY} in {toys} was changed" in out
    assert "0 tasks of 2 worlds audited in 0 calls; 1 did not pass" in out


# ── inspect ───────────────────────────────────────────────────────────────────────────────────────


def test_inspect_shows_company_services_tables_pages_rules_and_a_task(toys, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    assert inspect.main([str(toys), TOY[:6], "--task", vip_task().id]) == 0
    out = capsys.readouterr().out
    for part in (
        "Aroeira Pumps: Makes pumps and valves for hospitals.",
        "manufacturing in BR, BRL, pt_BR, America/Sao_Paulo",
        "help_desk (support): What customers complain about.",
        "uses sales: ticket refers to customer",
        "customer of sales: 3 rows, in the slice",
        "enum, status: active paused closed",
        "-> customer",
        "DOC-01 customer tier policy: when the tier of a customer becomes vip",
        "RULE-01 (told in DOC-01): when customer.tier is vip, every ticket linked by customer_id",
        'SELECT p."id" FROM "customer" p JOIN "ticket"',
        'oracle: get_document {"id": "DOC-01"}',
        'a1 equals: customer where {"id": "CUS-0001"}, tier: "vip"',
        "at stake: RULE-01",
    ):
        assert part in out, part


def test_names_are_no_markup(tmp_path, capsys):
    world, key = changed(company=toy_world()[0].company.replace(name="[bold red]Pumps[/] :boom:"))
    write_world(tmp_path, world, key, ())
    assert inspect.main([str(tmp_path), world.id]) == 0
    assert "[bold red]Pumps[/] :boom:" in capsys.readouterr().out


# ── play and replay ───────────────────────────────────────────────────────────────────────────────

SOLUTION = """tools
help update_customer
get_customer {"id": "CUS-0001"}
update_customer {"id": "CUS-0001", "tier": "gold", "credit": 700}
answer it is done
"""


def played(folder, text, *more) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "planet.play", str(folder), TOY, toy_task().id[:8], *more]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)


def test_a_person_can_solve_a_task_through_a_pipe_and_it_is_graded(toys):
    done = played(toys, SOLUTION, "--save", str(toys / "t.json"))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "Aroeira Pumps, you are its coordinator."
    assert lines[1] == "task: set the tier of customer CUS-0001 to gold and its credit to 700"
    assert '{"id": "CUS-0001", "created": false}' in lines
    assert lines[-1] == "all pass; reward 1.000 (score 1.000, doing nothing 0.000)"
    saved = Trajectory.model_validate_json((toys / "t.json").read_bytes())
    assert (len(saved.calls), saved.answer, saved.ended) == (2, "it is done", "answer")


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("", "not all pass; reward 0.000 (score 0.000, doing nothing 0.000)"),
        ('update_customer {"id": "CUS-0001", "tier": "gold"}\n', "not all pass; reward 0.500"),
        ("answer \n", "not all pass; reward 0.000"),
        ('fly {"to": "the moon"}\nget_customer {"id": \nanswer x\n', "not all pass; reward 0.000"),
    ],
)
def test_whatever_is_typed_the_episode_is_graded(toys, capsys, monkeypatch, text, last):
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    assert play.main([str(toys), TOY, toy_task().id]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith(last)


def test_turns_run_out_in_play_as_for_a_policy(toys, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO('get_customer {"id": "CUS-0001"}\n' * 9 + "answer x\n"))
    assert play.main([str(toys), TOY, toy_task().id]) == 1
    out = capsys.readouterr().out
    assert out.count("Barra Valves") == 8  # the limit of a compact world
    assert "no turns left; only `answer` remains" in out
    assert "penalty: repetition × 0.531441" in out  # 0.9 for each of the calls 3 to 8


@pytest.fixture
def saved(toys, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(SOLUTION))
    play.main([str(toys), TOY, toy_task().id, "--save", str(toys / "t.json")])
    return toys / "t.json", capsys.readouterr().out


def test_replay_gives_the_same_grade(toys, saved, capsys):
    path, out = saved
    assert replay.main([str(toys), str(path)]) == 0
    assert out.endswith(capsys.readouterr().out)


def test_a_tampered_trajectory_is_refused(toys, saved, capsys):
    content = json.loads(saved[0].read_text())
    content["calls"][0]["payload"]["credit"] = 1e6
    saved[0].write_text(json.dumps(content))
    assert replay.main([str(toys), str(saved[0])]) == 1
    out = capsys.readouterr().out
    assert f"replay of task {toy_task().id} differs at turn 0 (get_customer): recorded" in out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "does not exist; planet.play --save writes trajectories"),
        ("{", "is no trajectory: invalid JSON"),
        ('{"task_id": 7}', "is no trajectory: task_id is 7, which should be a valid string"),
        (
            '{"task_id": "x", "world_id": "y", "calls": [], "answer": null, "ended": "answer"}',
            "holds no world 'y'",
        ),
    ],
)
def test_what_is_no_trajectory_is_one_line(toys, capsys, content, message):
    path = toys / "t.json"
    if content is not None:
        path.write_text(content)
    assert message in refusal(capsys, replay.main, toys, path)


# ── all of them ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("main", "arguments", "message"),
    [
        (audit.main, (), "the following arguments are required: DIR"),
        (audit.main, ("nowhere",), "nowhere holds no worlds: nowhere/manifest.json is missing"),
        (inspect.main, ("nowhere", "x"), "nowhere holds no worlds"),
        (inspect.main, ("{toys}", "zz"), "holds no world 'zz'; there is"),
        (inspect.main, ("{toys}", TOY, "--task", "zz"), "0 tasks begin with 'zz'; tasks of world"),
        (play.main, ("{toys}", TOY), "the following arguments are required: TASK_ID"),
        (play.main, ("{toys}", TOY, "zz"), "0 tasks begin with 'zz'"),
        (replay.main, ("{toys}",), "the following arguments are required: TRAJECTORY.json"),
    ],
)
def test_wrong_use_is_one_line(toys, tmp_path, capsys, monkeypatch, main, arguments, message):
    monkeypatch.chdir(tmp_path)
    line = refusal(capsys, main, *(a.format(toys=toys) for a in arguments))
    assert line.startswith("python -m planet.")
    assert message in line
