"""Names outside the vocabulary are one literal each, wherever they stand."""

from planet.records.view import TaskView
from policy.names import Names, names_of
from policy.vocabulary import build
from tests.fakes_policy import toy_tools, toy_vocabulary


def view(child: str, parent: str = "customer") -> TaskView:
    return TaskView(
        task_id="t", world_id="w", instruction="", role="support_lead", tools=toy_tools(child, parent)
    )


def test_the_names_of_a_view_are_its_resources_columns_and_values_without_the_grammar() -> None:
    names = names_of(view("ticket"))
    assert set(names) == {"ticket", "customer"}
    assert names["ticket"][0] == "ticket"
    assert {"due_date", "in_progress", "customer"} <= set(names["ticket"])
    assert not {"status", "id", "customer_id"} & set(names["ticket"])


def test_nothing_is_strange_to_a_vocabulary_that_has_every_word() -> None:
    names = Names(view("ticket"), toy_vocabulary())
    assert names.strange == frozenset()
    assert names.split("the due date of ticket 7") == [(None, "the due date of ticket 7")]


def test_one_unknown_word_makes_the_whole_name_strange() -> None:
    names = Names(view("glaze_batch"), toy_vocabulary())
    assert names.strange == {"glaze_batch"}
    assert names.split("set the glaze batch of customer 7") == [
        (None, "set the "),
        ("glaze_batch", ""),
        (None, " of customer 7"),
    ]


def test_the_longest_of_two_strange_names_is_read() -> None:
    names = Names(view("ticket"), build(("customer",), 256), frozenset({"due", "due_date"}))
    assert ("due_date", "") in names.split("its due date is today")


def test_a_name_inside_a_word_or_an_id_is_not_read() -> None:
    names = Names(view("kiln"), toy_vocabulary())
    assert names.split("kilns kiln-7 xkiln") == [(None, "kilns kiln-7 xkiln")]
