"""Published numbers of worlds and of services in a world, each with its source.

What counts as a world differs between projects: something from whose state an episode begins. Where a project
says nothing of services, its worlds have one program or database behind one set of tools, which is counted as
one service and marked as our reading.
"""

from typing import NamedTuple


class Project(NamedTuple):
    """One project's figures."""

    name: str
    worlds: int
    services: float  # in a world
    stated: bool  # whether the source says so; False: our reading of it
    reading: str  # what was counted
    source: str


PUBLISHED = (
    Project(
        "AppWorld", 1, 9, True,
        "one simulated world of 106 people with 9 apps",
        "arXiv 2407.18901 (abstract: 9 apps, 457 APIs, 750 tasks); appworld.dev (106 people)",
    ),
    Project(
        "τ-bench", 2, 1, False,
        "2 domains, each one database behind one set of tools",
        "arXiv 2406.12045 (retail with 115 tasks, airline with 50)",
    ),
    Project(
        "MCPMark", 38, 1, False,
        "38 initial states; a task works in one of 5 MCP environments",
        "arXiv 2509.24002 (127 tasks, 38 curated initial states, 5 environments)",
    ),
    Project(
        "Agent-World", 1_978, 1, False,
        "1,978 environments, each a database with its tools",
        "arXiv 2604.18292 (1,978 environments, 19,822 tools, as reported of it)",
    ),
    Project(
        "AgentMercury", 4_783, 13, False,
        "4,783 executable worlds; 13 services each as this project set out to rebuild them",
        "arXiv 2608.20634 (abstract: 4,783 worlds)",
    ),
)  # fmt: skip
