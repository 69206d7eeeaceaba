"""Ways to corrupt a sound task, by the audit rule that has to see them."""

from planet.mutations.tasks.answers import ANSWERS
from planet.mutations.tasks.case import TaskWay
from planet.mutations.tasks.floor import FLOOR
from planet.mutations.tasks.plans import PLANS
from planet.mutations.tasks.room import ROOM
from planet.mutations.tasks.start import START
from planet.mutations.tasks.variants import VARIANTS

TASK_WAYS: dict[str, dict[str, TaskWay]] = {**START, **ANSWERS, **FLOOR, **PLANS, **ROOM, **VARIANTS}
"""Audit rule -> name of a way -> the way."""
