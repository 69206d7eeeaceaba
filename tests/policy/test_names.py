"""Names outside the vocabulary are one literal each, wherever they stand."""

from planet.records.view import TaskView
from policy.config import DecoderConfig, OptimizerConfig, WarmStartConfig
from policy.decoder import Params, parameters
from policy.names import Names, names_of
from policy.rollout import RolloutEngine
from policy.vocabulary import build
from policy.warm_start import examples_of, warm_start
from policy.world_codec import WorldCodec
from tests.fakes_policy import toy_task, toy_tools, toy_vocabulary
from tests.policy.conftest import PACKING


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


def learned(codec: WorldCodec, decoder: DecoderConfig, unheard: float) -> Params:
    """A warm start on updates of the toy's own resources."""
    demonstrations = [toy_task(0, n, "direct").demonstration() for n in range(300)]
    examples, _ = examples_of(codec, demonstrations, unheard, seed=1)
    optimizer = OptimizerConfig(learning_rate=2e-2, embedding_rate=1e-2)
    config = WarmStartConfig(steps=80, batch=16, optimizer=optimizer)
    return warm_start(decoder, parameters(decoder, 0), examples, config, PACKING, 0)[0]


def test_a_trained_policy_calls_the_tools_of_a_resource_that_it_never_met(
    codec: WorldCodec, decoder: DecoderConfig, engine: RolloutEngine
) -> None:
    """`glaze_batch` is in no demonstration and no vocabulary; without strange names in training it fails."""
    tasks = [toy_task(5, n, "direct", own="glaze_batch") for n in range(24)]
    requests = [task.request(f"t{n}") for n, task in enumerate(tasks)]

    def called(params: Params) -> int:
        rollouts = engine.run(params, requests, seed=0, temperature=0.0)
        return sum(
            any(c.tool == "update_glaze_batch" and c.error is None for c in r.trajectory.calls)
            for r in rollouts
        )

    assert "glaze" not in codec.vocabulary.ids
    prepared, unprepared = (called(learned(codec, decoder, share)) for share in (0.5, 0.0))
    assert prepared >= 12
    assert unprepared <= 4
