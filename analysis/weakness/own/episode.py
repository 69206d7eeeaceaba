"""One line of anyone's episode file: what an agent of another trainer did on one task, and how it was graded.

Keys that are not listed here are kept out of the analysis, and counted. The JSON Schema of this record is
shipped beside it as episode.schema.json; `python -m analysis.weakness --schema` prints it.
"""

import json
import math
import re
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    StrictBool,
    WithJsonSchema,
    model_validator,
)

from planet.records.episode import Ended

LONGEST_LABEL = 200
"""Characters of a tag's value, a tool's name or an id: they are labels, not texts."""
_FACET = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
RESERVED = ("tool", "table")
"""Facets that follow from calls, plans and assertions, and so are no tags."""


def _label(value: Any) -> Any:
    """A number as its digits, a text on one line."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return value
    text = " ".join(str(value).split())
    if not text:
        raise ValueError("empty; give it a name")
    if len(text) > LONGEST_LABEL:
        raise ValueError(f"{len(text):,} characters; at most {LONGEST_LABEL}, it is a label")
    return text


def _arguments(value: Any) -> Any:
    """Arguments as an object; their JSON text, as chat APIs have it, is read."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"a text that is no JSON ({error}); write {{}} and say so in error") from error


def _tool_names(value: Any) -> Any:
    """Names of tools; of descriptions of tools, as chat APIs have them, their names."""
    if not isinstance(value, list):
        return value
    return [_named(item) for item in value]


def _named(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    inner = item.get("function")
    return (inner if isinstance(inner, dict) else item).get("name")


def _tags(value: Any) -> Any:
    """Tag -> its values as texts: one value is short for a list of one, null for none."""
    return {name: _values(name, given) for name, given in value.items()} if isinstance(value, dict) else value


def _values(name: str, given: Any) -> tuple[str, ...]:
    if not _FACET.fullmatch(name):
        raise ValueError(f"{name!r:.40} is no name of a facet; use letters, digits, _ . and -")
    if name in RESERVED:
        raise ValueError(f"{name!r} is no tag; name tools in plan or required_tools, tables in assertions")
    values = given if isinstance(given, list) else [] if given is None else [given]
    for item in values:
        if not isinstance(item, str | int | float) or (isinstance(item, float) and not math.isfinite(item)):
            raise ValueError(
                f"{name} is {item!r:.40}; give a text, a number, true or false, or a list of them"
            )
    texts = [str(item).lower() if isinstance(item, bool) else str(item) for item in values]
    return tuple(dict.fromkeys(_label(text) for text in texts if text.strip()))


Label = Annotated[
    str,
    BeforeValidator(_label),
    WithJsonSchema({"type": ["string", "integer"], "minLength": 1}),
]
Arguments = Annotated[
    dict[str, Any], BeforeValidator(_arguments), WithJsonSchema({"type": ["object", "string"]})
]
ToolNames = Annotated[
    tuple[Label, ...],
    BeforeValidator(_tool_names),
    WithJsonSchema({"type": "array", "items": {"type": ["string", "object"]}}),
]
_VALUE = ["string", "number", "boolean", "null"]
Tags = Annotated[
    dict[str, tuple[str, ...]],
    BeforeValidator(_tags),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": [*_VALUE, "array"]}}),
]


class _Lenient(BaseModel):
    """The base of what a line is made of: unknown keys are kept apart, to be counted."""

    model_config = ConfigDict(frozen=True, extra="allow")


class OwnCall(_Lenient):
    """One tool call that was executed, or that could not be read."""

    tool: Label | None = Field(description="Name of the tool; null: the output could not be read as a call.")
    arguments: Arguments = Field(default_factory=dict, description="As an object, or as its JSON text.")
    ok: StrictBool | None = Field(None, description="Whether it succeeded. Default: it has no error.")
    error: str | None = Field(None, description="What the tool complained of; empty or null: nothing.")
    result: Any = Field(None, description="What it returned. Not used.")

    @property
    def problem(self) -> str | None:
        """Why it failed; None when it succeeded."""
        return self.error or ("it failed" if self.ok is False else None)

    @model_validator(mode="after")
    def _one_verdict(self) -> "OwnCall":
        if self.ok and self.error:
            raise ValueError(f"ok is true, yet error says {self.error!r:.40}; leave one of them out")
        return self


class OwnAssertion(_Lenient):
    """One thing that had to hold when the episode ended."""

    name: Label = Field(description="Unique in the episode.")
    satisfied: StrictBool = Field(description="Whether it held.")
    kind: str = Field("assertion", description='"invariant" for a rule of the environment; else free.')
    table: Label | None = Field(None, description="Table, collection or kind of record that it looks at.")
    column: Label | None = Field(None, description="Column or field that it looks at.")
    tools: ToolNames = Field((), description="Tools that can bring it about. Empty: not known.")


class OwnPlanned(_Lenient):
    """One call of a plan that solves the task."""

    tool: Label = Field(description="Name of the tool.")
    arguments: Arguments | None = Field(None, description="null: any call of the tool that succeeds will do.")
    required: StrictBool = Field(True, description="Whether the task fails without it.")


class OwnEpisode(_Lenient):
    """One graded episode. `task` and one of `success` and `assertions` are needed, all else helps."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["success"]}, {"required": ["assertions"]}]}
    )

    task: Label = Field(description="Id of the task; its rollouts share it.")
    episode: Label | None = Field(
        None, description="Id of the rollout, unique in the file. Default: line-NUMBER."
    )
    world: Label | None = Field(
        None,
        description="Id of what tasks share (environment, database, user). Default: every task on its own.",
    )
    instruction: str | None = Field(None, description="What the agent was asked. Not used.")
    tools: ToolNames = Field((), description="Tools that were offered, as names or as their descriptions.")
    calls: tuple[OwnCall, ...] = Field((), description="In the order in which they were made.")
    assertions: tuple[OwnAssertion, ...] = Field((), description="What was checked, and what came out.")
    success: StrictBool | None = Field(
        None, description="Whether the episode passed. Default: every assertion is satisfied."
    )
    required_tools: ToolNames = Field((), description="Tools without a successful call of which it fails.")
    plan: tuple[OwnPlanned, ...] = Field((), description="Calls that solve the task.")
    tags: Tags = Field(
        default_factory=dict,
        description="Facet -> value or values by which weakness is to be counted: family, role, domain, ...",
    )
    reward: FiniteFloat | None = Field(
        None,
        description="Before penalties; its mean is the report's raw reward. Default: the share of assertions "
        "satisfied, or 1 for success and 0 for failure.",
    )
    ended: Ended = Field("answer", description="How the episode ended.")

    @model_validator(mode="after")
    def _is_graded(self) -> "OwnEpisode":
        if self.success is None and not self.assertions:
            raise ValueError(
                'neither success nor assertions; add e.g. "success": true (a reward does not say it)'
            )
        failed = [a.name for a in self.assertions if not a.satisfied]
        if self.success and failed:
            raise ValueError(f"success is true, yet assertion {failed[0]!r} is not satisfied; correct one")
        names = [a.name for a in self.assertions]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"two assertions are called {twice!r}; give each a name of its own")
        return self

    @model_validator(mode="after")
    def _offers_what_it_requires(self) -> "OwnEpisode":
        needed = [*self.required_tools, *(p.tool for p in self.plan if p.required)]
        missing = sorted(set(needed) - set(self.tools)) if self.tools else []
        if missing:
            raise ValueError(f"requires {missing[0]!r}, which is not in tools; add it, or correct the name")
        said: dict[str, bool] = {}
        for p in self.plan:
            if said.setdefault(p.tool, p.arguments is None) != (p.arguments is None):
                raise ValueError(
                    f"plan has arguments for one call of {p.tool!r}, not for another; give all or none"
                )
        return self

    @property
    def passed(self) -> bool:
        """Whether the episode passed."""
        return all(a.satisfied for a in self.assertions) if self.success is None else self.success


def schema_text() -> str:
    """The JSON Schema of one line, as it is shipped."""
    return json.dumps(OwnEpisode.model_json_schema(), indent=1, ensure_ascii=False) + "\n"
