"""What the running of worlds is measured on: a world with a task that has begun, and the same rows bare."""

import sqlite3
from typing import NamedTuple

from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.errors import SessionError
from planet.identity import seed_of
from planet.records.task import Task
from planet.records.world import Brief, Profile, World
from planet.synthesize import Synthesis, synthesize
from planet.world.database import build
from planet.world.session import Session

TASKS = 10
"""Tasks of a world."""
_WORLDS_TRIED = 100


class Stage(NamedTuple):
    """A session in which `task` has begun, and a connection with the world's rows and nothing around it."""

    session: Session
    task: Task
    raw: sqlite3.Connection

    @property
    def world(self) -> World:
        """The world of both."""
        return self.session.image.world

    def reset(self) -> None:
        """Begin the task again, and take back what was written bare since the last time."""
        self.session.begin(self.task)
        if self.raw.in_transaction:
            self.raw.execute("ROLLBACK")
        self.raw.execute("BEGIN")  # a session works inside a savepoint: its statements commit nothing

    def close(self) -> None:
        """Free both databases."""
        self.session.close()
        self.raw.close()


def made_world(number: int, profile: Profile) -> Synthesis:
    """The benchmark's world of this number; its `world` is None where it was refused."""
    brief = Brief(text="bench", profile=profile)
    catalog = load_catalog(profile=profile)
    return synthesize(brief, TemplateAuthor(), catalog, seed_of("bench", profile, number), TASKS)


def set_stage(profile: Profile) -> Stage:
    """The first world with a task whose delta is one changed row; SessionError when there is none."""
    for number in range(_WORLDS_TRIED):
        made = made_world(number, profile)
        for task in made.tasks:
            if [edit.op for edit in task.key.delta] == ["set"]:
                assert made.world is not None and made.key is not None
                raw = build(made.world)
                raw.execute("PRAGMA foreign_keys = ON")
                stage = Stage(Session(made.world, made.key, turns=None), task, raw)
                stage.reset()
                return stage
    raise SessionError(
        f"no {profile} world among {_WORLDS_TRIED} has a task whose delta is one changed row; "
        "the catalog or the task families must have changed: look at them with planet.census"
    )
