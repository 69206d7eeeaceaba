"""A folder of worlds as a corpus: what draws reach, how tasks cluster, how many worlds there are."""

import csv
import json
from pathlib import Path

import pytest

from analysis.clustering.__main__ import main as clustering
from analysis.clustering.agreement import Agreement
from analysis.clustering.corpus import items_of_corpus
from analysis.clustering.items import Item, some, without_tool_words
from analysis.clustering.words import grade, verdicts
from analysis.errors import DataError
from analysis.footprint.__main__ import main as footprint
from analysis.footprint.corpus import said
from analysis.scale.__main__ import main as scale
from analysis.scale.published import PUBLISHED
from analysis.scale.write import sentence
from planet.census.corpus import Reach
from planet.census.design import points
from planet.census.measure import quantity
from planet.census.rarefaction import Expected
from planet.corpus import main as synthesize
from planet.store import read_world, world_ids
from planet.text_table import markdown


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    """Two compact worlds with ten tasks each."""
    folder = tmp_path_factory.mktemp("worlds")
    assert synthesize(["--count", "2", "--out", str(folder)]) == 0
    return folder


def rows(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return {next(iter(row.values())): row for row in csv.DictReader(file)}


# ── footprint ─────────────────────────────────────────────────────────────────────────────────────


def test_the_footprint_of_a_corpus_stands_beside_what_is_published(worlds, tmp_path, capsys):
    assert footprint(["--corpus", str(worlds), "--draw", "11", "--out", str(tmp_path)]) == 0
    found = rows(tmp_path / "corpus_footprint.csv")["environments"]
    # 11 of 20 tasks leave 9: no environment of ten can be missed by all of them
    assert (found["values"], found["reached"], float(found["share"])) == ("2", "2", 1.0)
    assert (float(found["expected"]), float(found["low"]), float(found["published"])) == (1.0, 1.0, 0.535)
    assert (float(found["points"]), found["near"]) == (pytest.approx(46.5), "0")
    assert rows(tmp_path / "corpus_footprint.csv")["services"]["published"] == ""
    assert (tmp_path / "corpus_footprint.png").read_bytes().startswith(b"\x89PNG")
    assert "| environments | 2 | 2 | 100.0% |" in (tmp_path / "corpus_footprint.md").read_text()
    assert "11 of 20 tasks of 2 environments, drawn uniformly" in capsys.readouterr().out


def a_reach(dimension: str, reached: int, mean: float, deviation: float, values: int = 100) -> Reach:
    return Reach(dimension, values, reached, Expected(mean, deviation))


def test_the_words_of_a_footprint_follow_from_its_numbers():
    found = [
        a_reach("environments", 54, 0.54, 0.01),  # published 53.5 %, in 52.0 to 56.0
        a_reach("tools", 70, 0.69, 0.01),  # published 75.8 %: 5.8 points away, 6.8 from the mean
        a_reach("countries", 90, 0.50, 0.01),  # nothing is published
    ]
    assert points(0.54, "environments") == pytest.approx(0.5) and points(0.9, "countries") is None
    lines = said(found)
    far = "within 5 points of the published share environments; further away tools"
    assert lines[0] == f"The mean of all draws: {far} (-6.8)."
    assert lines[1] == f"This draw: {far} (-5.8)."
    assert lines[2].endswith("inside the range of uniform draws: environments. Outside: tools.")
    assert lines[3].endswith("in: countries.")
    assert "these of 100" in lines[4]
    assert len(said([a_reach("environments", 2_300, 0.54, 0.01, values=4_326)])) == 4  # of full size


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give either a run directory or --corpus DIR"),
        (["RUN", "--corpus", "DIR"], "give either a run directory or --corpus DIR"),
        (["--corpus", "DIR", "--beside", "RUN"], "leave it out with --corpus"),
        (["RUN", "--draw", "3"], "are for --corpus DIR"),
        (["--corpus", "nowhere"], "holds no worlds"),
    ],
)
def test_wrong_use_of_the_footprint_is_one_line(arguments, message, capsys):
    refused(footprint, arguments, message, capsys)


def refused(main, arguments, message, capsys):
    try:
        code = main(arguments)
    except SystemExit as error:
        code = error.code
    told = capsys.readouterr().err
    assert code == 2 and message in told and told.count("\n") == 1


# ── clustering ────────────────────────────────────────────────────────────────────────────────────


def test_the_items_of_a_corpus_are_its_tasks_with_their_labels(worlds):
    items = items_of_corpus(worlds, 100)
    stored = [read_world(worlds, name) for name in world_ids(worlds)]
    tasks = [task for one in stored for task in one.tasks]
    assert [item.id for item in items] == [task.id for task in tasks]
    assert [item.text for item in items] == [task.view.instruction for task in tasks]
    assert [item.tools for item in items] == [tuple(sorted(task.key.facets.tools)) for task in tasks]
    assert set(items[0].metadata) == {"industry", "role", "family", "template", "services", "world"}
    offered = items_of_corpus(worlds, 100, tools="offered")
    assert offered[0].tools == tuple(sorted(tool.name for tool in tasks[0].view.tools))


def test_a_sample_of_a_corpus_is_drawn_and_keeps_its_order(worlds):
    every = [item.id for item in items_of_corpus(worlds, 100)]
    drawn = [item.id for item in items_of_corpus(worlds, 12, seed=1)]
    assert len(drawn) == 12 and drawn == [name for name in every if name in set(drawn)]
    assert drawn == [item.id for item in items_of_corpus(worlds, 12, seed=1)]
    assert drawn != [item.id for item in items_of_corpus(worlds, 12, seed=2)]


def test_a_sample_of_items_is_drawn_and_keeps_their_order():
    items = [Item(id=str(number), text="a", tools=()) for number in range(9)]
    drawn = [int(item.id) for item in some(items, 4)]
    assert len(drawn) == 4 and drawn == sorted(set(drawn))
    assert some(items, 9) == items


def test_texts_can_be_asked_without_the_words_of_tools_and_the_ids_of_records():
    items = [
        Item(
            id="a",
            text='set the status of invoice INV-0031 , then list "Open Invoices"',
            tools=("get_invoice",),
        ),
        Item(id="b", text="list_price of order #W2378156 is low", tools=("list_order",)),
    ]
    bare = [item.text for item in without_tool_words(items)]  # words of tools: get, invoice, list, order
    assert bare == ['set the status of , then "Open', "of is low"]
    assert [item.tools for item in without_tool_words(items)] == [item.tools for item in items]


def test_a_corpus_without_enough_tasks_is_told(tmp_path, worlds):
    with pytest.raises(DataError, match="holds 4 items; clusters need at least 10"):
        items_of_corpus(worlds, 4)


def test_the_command_clusters_a_corpus_and_says_what_holds(worlds, tmp_path, capsys):
    assert (
        clustering(["--corpus", str(worlds), "--sample", "15", "--clusters", "2", "--out", str(tmp_path)])
        == 0
    )
    printed, page = capsys.readouterr().out, (tmp_path / "clustering.md").read_text()
    assert "15 items; text: 2 clusters" in printed and page.startswith("15 items; text: 2 clusters")
    main = next(
        line for line in page.splitlines() if line.startswith("- Clusters of text and clusters of tool")
    )
    assert main.removeprefix("- ") in printed and "AMI" in main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give either a run directory, --tasks FILE or --corpus DIR"),
        (["--tasks", "f", "--corpus", "d"], "give either a run directory, --tasks FILE or --corpus DIR"),
        (["--tasks", "f", "--tool-sets", "offered"], "is for --corpus DIR; leave it out"),
        (["--corpus", "nowhere"], "holds no worlds"),
    ],
)
def test_wrong_use_of_the_clustering_is_one_line(arguments, message, capsys):
    refused(clustering, arguments, message, capsys)


def an_agreement(
    first: str, second: str, ami: float, p: float = 0.001, within: float | None = None
) -> Agreement:
    return Agreement(first, second, ami, ami, p, within)


@pytest.mark.parametrize(
    ("ami", "p", "words"),
    [
        (0.05, 0.2, "no more alike than by chance"),
        (0.05, 0.001, "hardly alike"),
        (0.2, 0.001, "weakly alike"),
        (0.5, 0.001, "partly alike"),
        (0.7, 0.001, "largely alike"),
        (0.95, 0.001, "almost wholly alike"),
        (-0.01, 0.01, "no more alike than by chance"),
    ],
)
def test_agreement_in_words_follows_from_its_size_and_its_p_value(ami, p, words):
    assert grade(an_agreement("text", "tools", ami, p)) == words


def test_claims_hold_or_do_not_by_the_numbers():
    found = [
        an_agreement("text", "tools", 0.2, within=0.4),
        an_agreement("text", "industry", 0.05), an_agreement("tools", "industry", 0.5),
        an_agreement("text", "template", 0.6), an_agreement("tools", "template", 0.01),
    ]  # fmt: skip
    told = " ".join(verdicts(found))
    assert "Among tasks of one phrasing template, the agreement is no more than chance (p = 0.400)." in told
    assert "What clusters of text agree with, the most first (AMI): template 0.600, industry 0.050." in told
    assert "by phrasing more than by subject holds" in told
    assert "nearly the same composition of domains holds" in told
    assert "clusters of tool sets separate domains holds" in told
    other = [
        a._replace(ami=0.65 - a.ami) if a.second != "tools" else a for a in found
    ]  # 0.6, 0.15, 0.05, 0.64
    told = " ".join(verdicts(other))
    assert "by phrasing more than by subject does not hold" in told
    assert "nearly the same composition of domains does not hold" in told
    assert "clusters of tool sets separate domains does not hold" in told


def test_what_cannot_be_asked_without_labels_is_said():
    told = verdicts([an_agreement("text", "tools", 0.2)])
    assert told[1].endswith("so phrasing cannot be ruled out as a cause.")
    assert told[2].endswith("so whether clusters separate domains cannot be asked.")


# ── scale ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_scale_stands_beside_published_figures(worlds, tmp_path):
    assert scale([str(worlds), "--out", str(tmp_path)]) == 0
    found = rows(tmp_path / "scale.csv")
    assert set(found) == {"here", *(p.name for p in PUBLISHED)}
    kinds = [len(json.loads(p.read_text())["graph"]["services"]) for p in (worlds / "worlds").glob("*.json")]
    assert found["here"]["worlds"] == "2" and float(found["here"]["services"]) == sum(kinds) / 2
    assert all(row["source"] for row in found.values())
    assert (tmp_path / "scale.png").read_bytes().startswith(b"\x89PNG")
    assert "arXiv 2407.18901" in (tmp_path / "scale.md").read_text()


def test_the_sentence_of_the_scale_follows_from_the_numbers():
    told = sentence(100, quantity("world", "services", [9.0, 11.0])).split(". ")
    assert told[0] == "100 worlds of 10.0 services each (9 to 11)"
    assert told[1] == (
        "More worlds than AppWorld, τ-bench, MCPMark; fewer worlds than Agent-World, AgentMercury"
    )
    assert told[2].endswith(
        "than AppWorld, τ-bench, MCPMark, Agent-World; fewer services in a world than AgentMercury."
    )
    assert "fewer" not in sentence(5_000, quantity("world", "services", [20.0]))  # more of both than anyone


def test_a_folder_without_worlds_has_no_scale(tmp_path, capsys):
    refused(scale, [str(tmp_path)], "holds no worlds", capsys)


def test_markdown_tables_align_numbers_right():
    assert markdown(("a", "b"), [("x|y", "1")]) == ["| a | b |", "| --- | ---: |", "| x/y | 1 |"]
