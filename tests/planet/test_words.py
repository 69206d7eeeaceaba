"""A closed vocabulary that knows `all_words` can say every world: what is left are literals."""

import re

from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.records.world import Brief
from planet.synthesize import synthesize
from planet.words import all_words

LITERAL = re.compile(r'"[^"]*"|[A-Z]{2,4}-\d+|DOC-\d+|-?\d+(\.\d+)?(-\d\d-\d\d)?')


def test_every_instruction_and_page_is_made_of_the_words_and_of_literals(catalog, every_task):
    words = set(all_words(catalog))
    for made, task in every_task:
        for text in (task.view.instruction, *(f"{d.title} {d.body}" for d in made.world.documents)):
            left = {w for w in LITERAL.sub(" ", text).split() if w not in words}
            assert not left, text


def test_every_tool_and_column_and_value_is_made_of_the_words(catalog, dozen):
    words = set(all_words(catalog))
    for made in dozen:
        names = [tool.name for tool in made.world.layout.tools]
        for resource in made.world.layout.resources:
            names += [resource.name, *(c.name for c in resource.columns)]
            names += [value for c in resource.columns for value in c.values]
        assert {part for name in names for part in name.split("_")} <= words


def test_a_library_world_is_made_of_the_words_of_the_whole_catalog():
    whole = load_catalog(profile="library")
    words = set(all_words(whole))
    assert 1_600 < len(words) < 1_700
    made = synthesize(Brief(text="a", profile="library"), TemplateAuthor(), whole, 2, tasks=2)
    texts = [task.view.instruction for task in made.tasks]
    texts += [f"{d.title} {d.body}" for d in made.world.documents]
    texts += [tool.name.replace("_", " ") for tool in made.world.layout.tools]
    assert not {w for text in texts for w in LITERAL.sub(" ", text).split()} - words


def test_words_are_sorted_distinct_lower_case_and_few(catalog):
    words = all_words(catalog)
    assert list(words) == sorted(set(words))
    assert all(word == word.lower() for word in words)
    assert len(words) < 700
