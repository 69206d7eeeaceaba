"""What the tests of PLANET share: the shipped catalog, and a dozen template worlds with audited tasks."""

from collections.abc import Iterator

import pytest

from planet.author.template import TemplateAuthor
from planet.catalog import Catalog, load_catalog
from planet.records.task import Task
from planet.records.world import Brief
from planet.synthesize import Synthesis, synthesize
from planet.world.session import Session
from tests.planet.toy_tasks import toy_task
from tests.planet.worlds import toy_world

SEEDS = range(12)


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The catalog that comes with the package."""
    return load_catalog()


@pytest.fixture(scope="session")
def dozen(catalog: Catalog) -> list[Synthesis]:
    """Twelve template worlds, ten audited tasks each."""
    return [synthesize(Brief(text="a company"), TemplateAuthor(), catalog, seed) for seed in SEEDS]


@pytest.fixture(scope="session")
def every_task(dozen: list[Synthesis]) -> list[tuple[Synthesis, Task]]:
    """Every admitted task of the dozen, with the world it belongs to."""
    return [(made, task) for made in dozen for task in made.tasks]


@pytest.fixture
def toy() -> Task:
    """Set the tier of CUS-0001 to gold and its credit to 700, in the toy world."""
    return toy_task()


@pytest.fixture
def session(toy: Task) -> Iterator[Session]:
    """A session on the toy world in which `toy` has begun."""
    opened = Session(*toy_world())
    opened.begin(toy)
    yield opened
    opened.close()
