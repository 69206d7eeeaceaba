"""The states of a request in the queue and of its node, as gcloud describes them.

cloud.google.com/tpu/docs/queued-resources lists the states of a request,
cloud.google.com/tpu/docs/reference/rest/v2/projects.locations.nodes those of a node.
"""

import json
from typing import Any, NamedTuple

from tpu_scripts import gcloud
from tpu_scripts.errors import GcloudError, SliceError
from tpu_scripts.runner import Runner
from tpu_scripts.settings import Settings

ACTIVE = "ACTIVE"
COMING = ("CREATING", "ACCEPTED", "WAITING_FOR_RESOURCES", "PROVISIONING")
TAKEN = ("SUSPENDING", "SUSPENDED")
_NODE_TAKEN = ("PREEMPTED", "TERMINATED", "DELETING")


class Request(NamedTuple):
    """A request in the queue."""

    state: str
    why: str | None  # what the service says about a failure or a suspension; None: nothing
    by_user: bool  # whether the state was brought about by the user

    def __str__(self) -> str:
        return f"{self.state} ({self.why})" if self.why else self.state


class Node(NamedTuple):
    """The machines of a slice."""

    state: str
    workers: int  # virtual machines

    @property
    def taken(self) -> bool:
        """Whether it was preempted or is on its way out."""
        return self.state in _NODE_TAKEN


def request_of(runner: Runner, settings: Settings) -> Request | None:
    """The request as it stands; None when there is none."""
    found = _described(runner, gcloud.describe(settings))
    if found is None:
        return None
    state = found.get("state") or {}
    name = str(state.get("state", "STATE_UNSPECIFIED"))
    error = (state.get("failedData") or {}).get("error") or {}
    by_user = state.get("stateInitiator") == "USER"
    why = error.get("message")
    if why is None and name in TAKEN:
        why = "by the user" if by_user else "preempted by the service"
    return Request(name, " ".join(str(why).split()) if why else None, by_user)


def node_of(runner: Runner, settings: Settings) -> Node | None:
    """The node as it stands; None when there is none."""
    found = _described(runner, gcloud.describe_node(settings))
    if found is None:
        return None
    return Node(str(found.get("state", "STATE_UNSPECIFIED")), len(found.get("networkEndpoints") or [None]))


def _described(runner: Runner, command: list[str]) -> dict[str, Any] | None:
    try:
        answer = runner.ask(command)
    except GcloudError as error:
        if error.not_found:
            return None
        raise
    try:
        found = json.loads(answer or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise SliceError(
            f"{' '.join(command[:5])}: answered {answer[:80]!r}, not a JSON object; update gcloud"
        )
    return found
