"""Reports of few cells, for what a report remembers."""

from analysis.weakness import Rules, weakness_report
from tests.analysis.simulated_probes import simulate, skills

UNTESTED = Rules(permutations=0)


def report_of(*weak, tools=("update_a", "update_b", "update_c"), tasks=10, **given):
    """A report of an agent that always fails at the weak tools and never elsewhere: 4 episodes a task."""
    episodes = simulate(skills(list(tools), set(weak), 1.0, 0.0), tasks=tasks)
    return weakness_report(episodes, rules=UNTESTED, **given)
