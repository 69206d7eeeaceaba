"""A language model as the author of a run: what is recorded, what a spent budget does, what it will cost."""

from pathlib import Path

import pytest

from loop.costs import costs, render
from loop.errors import RunError
from loop.loading import load
from loop.worlds.asked import Asked, asked_rows, author_call_rows
from loop.worlds.splits import build_splits, places
from loop.worlds.synthesis import synthesized
from planet.author.load import load_author
from planet.catalog import load_catalog
from planet.records.world import Brief
from tests.planet.llm_replies import replying, sound
from tests.planet.llm_scripts import scripted

CATALOG = load_catalog()
BRIEF = Brief(text="A company.")
MICRO = Path(__file__).parents[2] / "experiments" / "micro.yaml"
EXPERIMENT = Path(__file__).parents[2] / "experiments" / "closed_loop.yaml"


def rows(*made):
    return asked_rows("run", 3, Asked("i0/b00", 0, BRIEF, aimed=False, made=list(made)))[1:]


def test_a_ledger_tells_tokens_in_from_tokens_out_and_names_the_model() -> None:
    made = synthesized(BRIEF, scripted(replying(sound(CATALOG, BRIEF))), CATALOG, 0, tasks=2)
    assert made.complete
    assert [(r.link, r.author, r.accepted) for r in rows(made)] == [
        (link, "scripted", True) for link in ("company", "graph", "schema", "seed", "rules")
    ]
    assert {(r.tokens_in, r.tokens_out, r.dollars) for r in rows(made)} == {(100, 20, 0.00012)}


def test_a_budget_that_is_used_up_leaves_a_shortfall_and_the_calls_that_were_paid() -> None:
    author = scripted(replying(sound(CATALOG, BRIEF)), budget={"calls": 7})
    first, second, third = (synthesized(BRIEF, author, CATALOG, seed, tasks=2) for seed in range(3))
    assert [made.complete for made in (first, second, third)] == [True, False, False]
    assert (second.refused, third.refused) == ({"author_budget": 1}, {"author_budget": 1})
    assert len(rows(first, second, third)) == 7


def test_worlds_of_the_splits_keep_what_their_author_was_asked() -> None:
    config = load(MICRO)
    splits = build_splits(config, CATALOG, load_author("template"))
    assert [*splits.calls] == [place.name for place in places(config)]
    assert sum(len(calls) for calls in splits.calls.values()) >= 5 * len(splits.environments)
    rows = author_call_rows("run", 0, "train/000", splits.calls["train/000"])
    assert [(row.call_index, row.link) for row in rows[-5:]] == [
        (len(rows) - 5 + n, link) for n, link in enumerate(("company", "graph", "schema", "seed", "rules"))
    ]
    assert {(row.author, row.accepted) for row in rows[-5:]} == {("template", True)}


def test_a_budget_that_is_used_up_before_the_splits_are_made_ends_the_run_at_once() -> None:
    author = scripted(replying(sound(CATALOG, BRIEF)), budget={"calls": 3})
    told = (
        "split foundation, world 1: the budget of author scripted is used up: 3 of 3 calls; raise its calls"
    )
    with pytest.raises(RunError, match=f"^{told}"):
        build_splits(load(MICRO), CATALOG, author)


def test_a_dry_run_says_what_the_model_will_be_asked_for() -> None:
    offline = costs(load(EXPERIMENT))
    assert (offline.author_calls, offline.tokens, offline.dollars) == (0, 0, 0.0)
    prices = "author={type: llm, model: openai/gpt-4o, dollars_per_million: [2.0, 8.0]}"
    paid = costs(load(EXPERIMENT, (prices,)))
    worlds = paid.worlds[0] + paid.syntheses
    assert paid.author_calls == 5 * worlds
    assert 1_000 < paid.tokens / paid.author_calls < 5_000
    each = paid.dollars / worlds
    assert paid.tokens / worlds * 2e-6 < each < paid.tokens / worlds * 8e-6  # between the two prices
    line = next(line for line in render(load(EXPERIMENT, (prices,))) if line.startswith("author "))
    assert (
        f"about {paid.author_calls:,} model calls, {paid.tokens:,} tokens, {paid.dollars:,.2f} dollars"
        in line
    )
