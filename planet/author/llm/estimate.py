"""What a world will cost, before a model is asked: its questions as they will be put, by their length."""

from planet.author.artifacts import LINKS, AuthorCost, Context
from planet.author.llm.facts import proposal
from planet.author.llm.prompt import conversation
from planet.author.llm.recipe import worked_example
from planet.author.llm.settings import Settings
from planet.catalog import Catalog
from planet.language_model.settings import CHARACTERS_PER_TOKEN
from planet.records.world import Brief, Profile


def cost_of_a_world(settings: Settings, catalog: Catalog, profile: Profile) -> AuthorCost:
    """Five answers without any repair; dollars are 0.0 unless the settings give a price."""
    made = dict(worked_example(catalog, profile))
    tokens_in = tokens_out = 0
    for number, link in enumerate(LINKS):
        context = Context(
            brief=Brief(text="A company.", profile=profile),
            catalog=catalog,
            seed=0,
            attempt=0,
            artifacts={other: made[other] for other in LINKS[:number]},
        )
        turns = conversation(link, context, settings.mode)
        tokens_in += sum(len(turn["content"]) for turn in turns) // CHARACTERS_PER_TOKEN
        tokens_out += len(proposal(link, made[link])) // CHARACTERS_PER_TOKEN
    return AuthorCost(
        calls=len(LINKS),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        dollars=settings.dollars(tokens_in, tokens_out),
    )
