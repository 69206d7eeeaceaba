"""PLANET: from a business scenario to an executable world, its tasks, and the grading of what an agent did.

Names follow `docs/worlds.md`: a `Brief` becomes a `World` and its hidden `WorldKey`; a world grows tasks,
each a `TaskView` (all that a policy may see) and a `TaskKey` (all that the grader needs).
"""
