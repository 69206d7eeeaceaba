"""Agreement of labellings, and clusters of texts and tool sets, on made and on human-written tasks."""

import csv
import json
from pathlib import Path

import pytest

from analysis.clustering.agreement import agreement
from analysis.clustering.clusters import text_space, tool_space
from analysis.clustering.describe import contents, typical
from analysis.clustering.items import Item, items_of_file, items_of_run
from analysis.clustering.write import agreements, write_clustering
from analysis.errors import DataError

RETAIL = Path(__file__).parents[1] / "data" / "tau2_retail_tasks.jsonl"
TOPICS = {
    "billing": ("charge the invoice for the customer", "refund the paid invoice amount"),
    "shipping": ("send the parcel to the warehouse", "track the delayed parcel route"),
    "staff": ("plan the shift of the nurse", "approve the holiday of the nurse"),
}


def made(repeats=6):
    """Items in which the topic decides words and tools alike."""
    return [
        Item(
            id=f"{topic}{phrase}{index}",
            text=f"{TOPICS[topic][phrase]} number {index}",
            tools=(f"update_{topic}", f"search_{topic}"),
            metadata={"topic": topic, "template": str(phrase)},
        )
        for topic in TOPICS
        for phrase in (0, 1)
        for index in range(repeats)
    ]


def test_equal_labellings_agree_fully_whatever_their_names():
    labels = {"a": [0, 0, 1, 1, 2, 2], "b": ["x", "x", "y", "y", "z", "z"]}
    found = agreement("a", "b", labels, permutations=199)
    assert found.ami == pytest.approx(1.0) and found.ari == pytest.approx(1.0)
    # As much information needs the same partition: 48 of 720 permutations, 3! · 2³, p near 1/15 = 0.067.
    assert found.p == pytest.approx(0.067, abs=0.05)


def test_crossed_labellings_agree_no_more_than_chance():
    labels = {"a": [0, 0, 1, 1] * 10, "b": [0, 1, 0, 1] * 10}
    found = agreement("a", "b", labels, permutations=99)
    assert found.ami < 0.01 and found.ari < 0.01
    assert found.p == 1.0  # independence is the least information there is


def test_agreement_that_comes_from_the_template_alone_vanishes_within_it():
    template = ["s", "t"] * 20
    labels = {"text": [int(t == "s") for t in template], "tools": [2 * (t == "t") for t in template]}
    found = agreement("text", "tools", {**labels, "template": template}, strata="template", permutations=99)
    assert found.p == 0.01  # 1 of 100, the labelling itself
    assert found.p_within == 1.0  # within a template there is nothing to permute


def test_agreement_beyond_the_template_remains_within_it():
    topics = [0, 0, 1, 1] * 10
    labels = {"text": topics, "tools": topics, "template": ["s", "t"] * 20}
    found = agreement("text", "tools", labels, strata="template", permutations=99)
    assert found.p == found.p_within == 0.01


def test_topics_are_found_in_texts_and_in_tools():
    items = made()
    spaces = {"text": text_space(items, 3), "tools": tool_space(items, 3)}
    found = {(a.first, a.second): a for a in agreements(items, spaces)}
    assert found["tools", "topic"].ami == pytest.approx(1.0)
    assert found["text", "topic"].ami > 0.3
    assert found["text", "tools"].p < 0.01
    assert spaces["tools"].silhouette == pytest.approx(1.0)


def test_more_clusters_than_different_tool_sets_are_not_made_up():
    assert len(set(tool_space(made(), 8).labels.tolist())) == 3


def test_labels_that_never_or_always_vary_are_left_out():
    items = [
        item.replace(metadata={"constant": "x", "unique": item.id, "topic": item.metadata["topic"]})
        for item in made()
    ]
    spaces = {"text": text_space(items, 3), "tools": tool_space(items, 3)}
    assert {a.second for a in agreements(items, spaces)} == {"tools", "topic"}


def test_the_same_seed_gives_the_same_clusters():
    items = made()
    assert text_space(items, 4, seed=1).labels.tolist() == text_space(items, 4, seed=1).labels.tolist()


def test_human_written_retail_requests_agree_with_their_tools_beyond_chance(tmp_path):
    items = items_of_file(RETAIL)
    assert len(items) == 114
    result = write_clustering(items, tmp_path)
    rows = list(csv.DictReader((tmp_path / "agreement.csv").open()))
    assert (rows[0]["first"], rows[0]["second"]) == ("text", "tools")
    assert 0.1 < float(rows[0]["ami"]) < 0.4  # far above chance, far from the same grouping
    assert float(rows[0]["p"]) == 0.001  # none of 999 permutations
    assert rows[0]["p_within"] == ""  # the requests have no template
    assert len(list(csv.DictReader((tmp_path / "clusters.csv").open()))) == 114
    assert result.files[2].read_bytes().startswith(b"\x89PNG")


def test_a_cluster_is_told_by_what_is_commoner_in_it_than_outside():
    # "b" is in 2 of 2 inside and 1 of 2 outside, lead 1/2; "a" in 1 of 2 and 0 of 2, 1/2; "c" in 0 and 1.
    assert typical([{"a", "b"}, {"b"}, {"b", "c"}, {"d"}], [True, True, False, False], 4) == ["a", "b"]
    assert typical([{"a"}, {"a"}], [True, True], 4) == ["a"]  # a single cluster has nothing outside
    assert typical([{"a"}, {"a"}], [True, False], 4) == []


def test_the_contents_of_clusters_name_the_words_and_tools_of_their_topic(tmp_path):
    items = made()
    spaces = {"tools": tool_space(items, 3)}
    found = {c.tools: c for c in contents(items, spaces)}
    assert set(found) == {f"search_{topic} update_{topic}" for topic in TOPICS}
    assert (
        found["search_staff update_staff"].items == 12 and "nurse" in found["search_staff update_staff"].words
    )
    result = write_clustering(items, tmp_path, 3)
    assert result.files[3].name == "cluster_contents.csv" and "typical words" in result.text


def test_a_line_separator_inside_a_text_does_not_end_the_line(tmp_path):
    lines = [
        json.dumps({"id": str(i), "text": "one\u2028two", "tools": ["t"]}, ensure_ascii=False)
        for i in range(10)
    ]
    (tmp_path / "f.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert len(items_of_file(tmp_path / "f.jsonl")) == 10


def test_a_run_brings_its_training_tasks_with_their_labels(run):
    items = items_of_run(run)
    assert len(items) == 18  # four worlds and two grown ones, three tasks each
    assert set(items[0].metadata) == {"industry", "role", "family", "template", "services", "world"}
    assert {item.tools for item in items} == {("update_invoice",), ("update_ticket",)}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 2: Expecting property name"),
        ('{"id": "a", "text": "b"}', "line 2: tools: Field required; each line is"),
        ('{"id": "a", "text": "b", "tools": [], "tool": 1}', "line 2: tool: Extra inputs are not permitted"),
        ("[1]", "line 2: list instead of an object; each line is"),
        ('{"id": "x", "text": "b", "tools": []}', "line 2: id 'x' stands on line 1 already; give every task"),
    ],
)
def test_a_bad_line_is_named_with_its_number(tmp_path, line, words):
    good = json.dumps({"id": "x", "text": "y", "tools": ["z"]})
    (tmp_path / "f.jsonl").write_text(f"{good}\n{line}\n")
    with pytest.raises(DataError) as caught:
        items_of_file(tmp_path / "f.jsonl")
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_too_few_items_or_nothing_to_cluster_by_is_an_error(tmp_path):
    file = tmp_path / "f.jsonl"
    file.write_text(json.dumps({"id": "x", "text": "y", "tools": ["z"]}))
    with pytest.raises(DataError, match="holds 1 items; clusters need at least 10"):
        items_of_file(file)
    file.write_text(
        "\n".join(json.dumps({"id": str(i), "text": "some words", "tools": []}) for i in range(10))
    )
    with pytest.raises(DataError, match="has no tools, or no words, in any item"):
        items_of_file(file)
    with pytest.raises(DataError, match=r"cannot be read: .*; give a JSON-lines file"):
        items_of_file(tmp_path / "none.jsonl")
