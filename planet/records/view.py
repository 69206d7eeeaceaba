"""What a policy may see: the task's view and the tools it offers."""

from typing import Any, Literal

from planet.records.frozen import Frozen

Operation = Literal["search", "list", "get", "update", "search_documents", "get_document"]

ROLES = (
    "account_manager",
    "coordinator",
    "sales_manager",
    "operations_coordinator",
    "support_lead",
    "analytics_lead",
)
"""The six roles in which a task can be given (AgentMercury, arXiv 2608.20634)."""


class ToolSpec(Frozen):
    """One tool as an agent is told of it."""

    name: str  # "<operation>_<resource>", or one of the two document tools
    operation: Operation
    resource: str | None  # the table it works on; None for the document tools
    service: str | None  # name of the service that owns it; None for the document tools
    description: str
    parameters: dict[str, Any]  # JSON Schema of the arguments: an object with `properties` and `required`


class TaskView(Frozen):
    """u: the instruction, the role and the tools of the slice; all that a policy gets."""

    task_id: str
    world_id: str
    instruction: str  # names, cities and other free text stand in double quotes
    role: str  # one of ROLES
    tools: tuple[ToolSpec, ...]
