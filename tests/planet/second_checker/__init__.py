"""A second judge of end states, written apart from the grader and used by tests alone.

It reads what a person would: the instruction, the policy pages, the rows. From these it works out which end
states are right, builds right and nearly right ones by calling tools, and compares its verdicts with grades.
It neither imports the grader, the audit and the families nor looks at a task's assertions, allowed writes,
rules at stake, plans or SQL; a test holds that.
"""
