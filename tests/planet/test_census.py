"""The census counts a folder of worlds, and says what uniform draws reach."""

import json
import random
import shutil
from itertools import combinations

import pytest

from planet.census import __main__ as census
from planet.census.corpus import Reach, reach
from planet.census.environment import CountedTask, Environment
from planet.census.measure import quantity
from planet.census.rarefaction import Expected, expected, expected_of_sets, rarefaction
from planet.census.tables import Table, as_markdown, as_text
from planet.corpus import main as synthesize
from planet.refusals import FILE, Refusal, Refusals, read_refusals
from planet.store import entries, write_world
from tests.planet.toy_tasks import toy_task
from tests.planet.worlds import toy_world


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("worlds")
    assert synthesize(["--count", "2", "--out", str(folder)]) == 0
    return folder


# ── rarefaction ───────────────────────────────────────────────────────────────────────────────────


def test_rarefaction_is_the_share_that_draws_without_repetition_reach():
    # 2 of 4 tasks: a value of one task is missed by C(3, 2) / C(4, 2) = 1/2, one of three by none
    assert rarefaction([1, 3], 4, 2) == pytest.approx(0.75)
    assert rarefaction([1, 1, 2], 4, 4) == 1.0
    assert rarefaction([2, 2], 4, 1) == pytest.approx(0.5)


def test_the_design_itself_reaches_the_share_of_environments_that_it_states():
    found = expected([10] * 4_326, 43_260, 3_200)
    assert found.share == pytest.approx(0.536, abs=0.0005)
    assert (found.low, found.high) == pytest.approx((0.528, 0.545), abs=0.001)  # of 500 draws: 52.8 to 54.5


def every_draw(tasks: list[set[str]], drawn: int) -> Expected:
    """Mean and deviation over all draws, one by one."""
    values = set().union(*tasks)
    shares = [len(set().union(*some)) / len(values) for some in combinations(tasks, drawn)]
    mean = sum(shares) / len(shares)
    return Expected(mean, (sum((share - mean) ** 2 for share in shares) / len(shares)) ** 0.5)


@pytest.mark.parametrize("drawn", [1, 2, 3, 5])
def test_mean_and_deviation_are_those_of_all_possible_draws(drawn):
    # values of 1, 2 and 3 of six tasks, each task with one value: 6, 15, 20 and 6 draws
    tasks = [{"a"}, *2 * [{"b"}], *3 * [{"c"}]]
    assert tuple(expected([1, 2, 3], 6, drawn)) == pytest.approx(tuple(every_draw(tasks, drawn)))


@pytest.mark.parametrize("drawn", [1, 2, 3, 4])
def test_values_that_share_tasks_are_counted_with_what_they_share(drawn):
    sets = {frozenset("ab"): 2, frozenset("bc"): 1, frozenset("c"): 1, frozenset("abd"): 1}
    tasks = [set(values) for values, times in sets.items() for _ in range(times)]
    found = expected_of_sets(sets, 5, drawn)
    assert tuple(found) == pytest.approx(tuple(every_draw(tasks, drawn)), abs=1e-9)


def test_sets_of_one_value_are_as_values_that_share_nothing():
    sizes = random.Random(1).choices(range(1, 9), k=20)
    sets = {frozenset([str(place)]): size for place, size in enumerate(sizes)}
    apart = expected(sizes, sum(sizes), 30)
    assert tuple(expected_of_sets(sets, sum(sizes), 30)) == pytest.approx(tuple(apart))


def test_environments_that_share_nothing_but_have_several_values_reach_all_of_theirs_at_once():
    def environment(name, combination, tasks):
        task = CountedTask("update", "r", "t", 1, 1, 1, False)
        return Environment(name, {}, "i", "c", "d", combination, (name,), (), (), (task,) * tasks, {})

    corpus = [environment("a", "b+c", 30), environment("b", "d+e+f", 10)]
    (services,) = [found for found in reach(corpus, 1, 0) if found.dimension == "services"]
    # one task: 2 of 5 services with chance 3/4, 3 of 5 with chance 1/4
    assert services.expected.share == pytest.approx((0.75 * 2 + 0.25 * 3) / 5)
    assert services.expected.deviation == pytest.approx((0.75 * 0.25) ** 0.5 / 5)


# ── numbers ───────────────────────────────────────────────────────────────────────────────────────


def test_a_quantity_has_its_mean_and_its_tails_beside_the_design():
    found = quantity(
        "task", "assertions", [float(n) for n in range(1, 22)]
    )  # 1 to 21: 5 % of 20 steps is one
    assert (found.mean, found.least, found.low, found.median, found.high, found.most) == (
        11,
        1,
        2,
        11,
        20,
        21,
    )
    assert found.deviation == pytest.approx(11 / 5.4 - 1)
    assert quantity("world", "kilobytes", [3.0]).deviation is None  # of which the design says nothing


def test_numbers_are_aligned_right_and_marked_so_in_markdown():
    table = Table("Sizes", ("name", "here"), [("worlds", "4,783"), ("rows", "+1.0 %")])
    assert as_text(table).splitlines() == [
        "Sizes",
        "  name      here",
        "  worlds   4,783",
        "  rows    +1.0 %",
    ]
    assert as_markdown(table).splitlines()[2:4] == ["| name | here |", "| --- | ---: |"]
    assert as_text(Table("Refused", ("by",), [])) == "Refused\n  none"


# ── the command ───────────────────────────────────────────────────────────────────────────────────


def test_the_census_counts_worlds_environments_and_tasks(worlds, capsys, tmp_path):
    assert census.main([str(worlds), "--draw", "20", "--out", str(tmp_path)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["worlds", "2", "4,783", "-100.0", "%"] in lines
    assert ["tasks", "20", "43,260", "-100.0", "%"] in lines
    (environments,) = [line for line in lines if line[:2] == ["environments", "2"] and "100.0%" in line]
    # all tasks were drawn: both environments, surely; 46.5 points above the design's 53.5 %
    assert environments[2:6] == ["2", "100.0%", "100.0%", "100.0%"]
    assert environments[6:] == ["to", "100.0%", "53.5%", "+46.5", "+46.5", "no"]
    assert "What 20 of 20 tasks drawn uniformly reach" in (tmp_path / "census.md").read_text()


def test_the_census_is_written_as_numbers_too(worlds, tmp_path):
    assert census.main([str(worlds), "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "census.json").read_text())
    assert found["totals"]["tasks"] == 20
    assert found["drawn"] == 1  # 20 x 3200 / 43260 = 1.48: one task, which reaches one of two environments
    (environments,) = [r for r in found["reach"] if r["dimension"] == "environments"]
    assert (environments["share"], environments["design"]) == (0.5, 0.535)
    assert environments["expected"] == pytest.approx(0.5)
    shares = found["shares"]
    assert all(sum(parts.values()) == pytest.approx(1) for parts in shares.values())
    assert set(shares["roles"]) <= {
        "account_manager", "coordinator", "sales_manager", "operations_coordinator", "support_lead",
        "analytics_lead",
    }  # fmt: skip
    (tools,) = [q for q in found["quantities"] if q["name"] == "tools"]
    assert tools["least"] <= tools["mean"] <= tools["most"] and tools["design"] == 65
    assert all(d["deviation"] is None for d in found["distinct"] if d["number"] < d["design"])  # two worlds


def test_the_census_is_the_same_each_time(worlds, capsys):
    outs = []
    for _ in range(2):
        assert census.main([str(worlds), "--draw", "3", "--environments", "1"]) == 0
        outs.append((capsys.readouterr().out, (worlds / "census.json").read_bytes()))
    assert outs[0] == outs[1]
    assert json.loads(outs[0][1])["totals"]["environments"] == 1


def test_worlds_with_too_few_tasks_are_one_line(tmp_path, capsys):
    write_world(tmp_path, *toy_world(), (toy_task(),))
    assert census.main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("has 10 tasks; synthesize with --tasks 10\n")
    assert not (tmp_path / "census.json").exists()


def test_a_reach_is_a_share_of_values_and_no_share_exceeds_one():
    assert Reach("tools", 8, 6, Expected(0.5, 0.1)).share == 0.75
    assert Expected(0.98, 0.02).high == 1.0  # 0.98 + 1.96 x 0.02 = 1.02: a share ends at 1


# ── what came to nothing ──────────────────────────────────────────────────────────────────────────


def test_a_refusal_is_kept_once_however_often_the_command_goes_on(tmp_path):
    for _ in range(2):
        lost = Refusals(tmp_path)
        lost.note(Refusal("a1", {"V10": 3}, "a rule is vacuous"))
        lost.save()
    assert read_refusals(tmp_path) == [Refusal("a1", {"V10": 3}, "a rule is vacuous")]


def test_a_line_that_was_cut_off_counts_as_never_written(tmp_path):
    (tmp_path / FILE).write_text('{"origin": "a1", "cau')
    lost = Refusals(tmp_path)
    lost.note(Refusal("b2", {"no_draft": 1}, None))
    lost.save()
    assert read_refusals(tmp_path) == [Refusal("b2", {"no_draft": 1}, None)]


def test_worlds_that_came_to_nothing_stand_in_the_census(tmp_path, worlds, capsys, monkeypatch):
    import planet.corpus as corpus

    real, made = corpus.make, []

    def make(order, *shared):
        made.append(order)
        return "no world for this one" if len(made) == 2 else real(order, *shared)

    monkeypatch.setattr(corpus, "make", make)
    folder = tmp_path / "worlds"
    assert synthesize(["--count", "2", "--out", str(folder)]) == 0
    assert [refusal.causes for refusal in read_refusals(folder)] == [{"brief": 1}]
    capsys.readouterr()
    assert census.main([str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "Refused on the way: 1 worlds came to nothing" in printed
    assert ["brief", "1", "briefs", "that", "cannot", "be", "met"] in [
        line.split() for line in printed.splitlines()
    ]


# ── what is refused ───────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def copied(tmp_path, worlds):
    """A copy of the worlds, and the id of the first."""
    shutil.copytree(worlds, tmp_path / "copy")
    return tmp_path / "copy", min(entries(worlds))


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("tasks/{}.jsonl", lambda text: text + "{", "Expecting property name"),
        ("tasks/{}.jsonl", lambda text: "[]\n" + text, "line 1: it is no JSON object"),
        ("tasks/{}.jsonl", lambda text: text.partition("\n")[2], "its 9 tasks are not those of its 10 keys"),
        ("keys/{}.tasks.jsonl", lambda text: "{}\n" + text, "it lacks 'task_id'"),
        ("keys/{}.tasks.jsonl", lambda text: "[" * 100_000, "it is nested too deep"),
        ("keys/{}.json", lambda text: "7", "it is no JSON object"),
        ("worlds/{}.json", lambda text: "[" * 100_000, "it is nested too deep"),
        ("worlds/{}.json", lambda text: "{}", "it lacks 'graph'"),
    ],
)
def test_a_world_with_a_file_of_another_kind_is_refused_by_its_name(copied, capsys, file, change, said):
    folder, name = copied
    path = folder / file.format(name)
    path.write_text(change(path.read_text()))
    (folder / "census.json").unlink(missing_ok=True)
    assert census.main([str(folder)]) == 2
    err = capsys.readouterr().err
    assert f"world {name} in {folder} cannot be read: " in err and said in err
    assert err.count("\n") == 1 and not (folder / "census.json").exists()


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        ({"V10": "3"}, "it was refused '3' times by 'V10', which is no count"),
        ({"V10": 1.5}, "it was refused '1.5' times by 'V10', which is no count"),
        ({"V10": True}, "it was refused 'True' times by 'V10', which is no count"),
        ({"V10": -1}, "it was refused '-1' times by 'V10', which is no count"),
        ([1], "what refused it: it is no JSON object"),
    ],
)
def test_refusals_that_are_no_counts_are_refused_by_the_name_of_their_world(copied, capsys, refused, said):
    folder, name = copied
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["worlds"][name]["note"]["refused"] = refused
    path.write_text(json.dumps(manifest))
    assert census.main([str(folder)]) == 2
    assert capsys.readouterr().err.endswith(f"world {name} in {folder} cannot be read: {said}\n")
