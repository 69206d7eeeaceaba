"""Plug-ins: `type:` in a configuration is a registered name or `module:Class`.

A registered name is only a short word for such a path, so own samplers, gates, growers, authors and trackers
need no fork. The rest of the mapping are keyword arguments of the class.
"""

import importlib
import inspect
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, model_validator

from loop.errors import ConfigError, LoopError
from planet.errors import PlanetError
from policy.errors import PolicyError

REGISTRY: dict[str, dict[str, str]] = {
    "sampler": {
        "uniform": "loop.curricula.samplers.uniform:UniformSampler",
        "newest": "loop.curricula.samplers.newest:NewestSampler",
        "plr": "loop.curricula.samplers.replay:PrioritizedReplaySampler",
        "sfl": "loop.curricula.samplers.learnability:LearnabilitySampler",
        "difficulty_pools": "loop.curricula.samplers.difficulty_pools:DifficultyPoolsSampler",
    },
    "gate": {"unequal_reward": "loop.curricula.gate:UnequalRewardGate"},
    "grower": {
        "none": "loop.curricula.growers.fixed_corpus:NoGrower",
        "random_worlds": "loop.curricula.growers.random_worlds:RandomWorldsGrower",
        "closed_loop": "loop.curricula.growers.closed_loop:ClosedLoopGrower",
        "task_scaling": "loop.curricula.growers.task_scaling:TaskScalingGrower",
        "balanced_worlds": "loop.curricula.growers.balanced_worlds:BalancedWorldsGrower",
        "trace": "loop.curricula.growers.trace:TraceGrower",
        "harden_soften": "loop.curricula.growers.harden_soften:HardenSoftenGrower",
    },
    "transform": {
        "as_measured": "loop.curricula.reports.transforms:AsMeasured",
        "permute": "loop.curricula.reports.placebo:Permute",
        "freeze": "loop.curricula.reports.transforms:Freeze",
        "enrich": "loop.curricula.reports.transforms:Enrich",
        "invert": "loop.curricula.reports.transforms:Invert",
    },
    "allocation": {
        "failure_rate": "loop.curricula.allocations.measured:FailureRate",
        "learnability": "loop.curricula.allocations.measured:Learnability",
        "expected_gain": "loop.curricula.allocations.expected_gain:ExpectedGain",
    },
    "learner": {
        "decoder": "loop.learning.decoder:DecoderLearner",
        "api": "loop.learning.api.learner:ApiLearner",
    },
    "demonstrator": {
        "oracle": "loop.learning.demonstrations:OracleDemonstrator",
        "api": "loop.learning.api.demonstrator:ApiDemonstrator",
    },
    "author": {
        "template": "planet.author.template:TemplateAuthor",
        "llm": "planet.author.llm.author:LLMAuthor",
    },
    "tracker": {
        "jsonl": "loop.tracking.jsonl:JsonLinesTracker",
        "mlflow": "loop.tracking.mlflow_store:MlflowTracker",
    },
}
"""Role -> name -> where the class is."""


class Plugin(BaseModel):
    """A class to be made: `type`, and its keyword arguments beside it."""

    model_config = ConfigDict(frozen=True, extra="allow")

    type: str  # a registered name, or "module:Class"

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        """`sampler: uniform` is short for `sampler: {type: uniform}`."""
        return {"type": value} if isinstance(value, str) else value

    @property
    def parameters(self) -> dict[str, Any]:
        """The keyword arguments."""
        return dict(self.model_extra or {})

    def is_built_in(self, role: str, name: str) -> bool:
        """Whether this is the registered class of a name, called by its name or by its path."""
        return self.type in (name, REGISTRY[role][name])


def nearest(word: str, known: list[str]) -> str:
    """' (did you mean X?)' for the closest known word, or the list of all when none is close."""
    close = get_close_matches(word, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(sorted(known))}"


def locate(role: str, plugin: Plugin, where: str) -> str:
    """The path `module:Class` of a plug-in; ConfigError for an unknown name. Imports nothing."""
    known = REGISTRY[role]
    if plugin.type in known:
        return known[plugin.type]
    module, _, name = plugin.type.partition(":")
    if module and name:
        return plugin.type
    hint = nearest(plugin.type, list(known))
    raise ConfigError(f"{where}.type: unknown {role} {plugin.type!r}; {hint} (or give module:Class)")


def make(role: str, plugin: Plugin, where: str, **given: Any) -> Any:
    """An object of a plug-in's class. `given`: arguments from the loop, passed where the class takes them."""
    path = locate(role, plugin, where)
    module, _, name = path.partition(":")
    try:
        made = getattr(importlib.import_module(module), name)
        accepted = _keywords(made)
    except (ImportError, AttributeError, ValueError) as error:  # ValueError: `..x` names no module
        raise ConfigError(
            f"{where}.type: {path!r} cannot be imported ({_one_line(error)}); "
            "give a module on the Python path and a class in it"
        ) from error
    except Exception as error:  # whatever a foreign module raises while it is imported
        raise ConfigError(
            f"{where}.type: {path!r} fails while it is imported ({_one_line(error)}); mend the module"
        ) from error
    for key, value in plugin.parameters.items():
        if accepted is not None and key not in accepted:
            raise ConfigError(f"{where}.{key}: unknown key for {plugin.type!r}; {_hint(key, accepted)}")
        if (problem := _unlike(made, key, value)) is not None:
            raise ConfigError(f"{where}.{key}: {value!r:.60} does not do for {plugin.type!r} ({problem})")
    supplied = {key: value for key, value in given.items() if accepted is None or key in accepted}
    try:
        return made(**supplied, **plugin.parameters)
    except (LoopError, PlanetError, PolicyError):  # these say themselves what to do
        raise
    except Exception as error:  # a foreign class may raise anything
        raise ConfigError(
            f"{where}: {plugin.type!r} refused its parameters: {_one_line(error)}; change them"
        ) from error


def _one_line(error: Exception) -> str:
    told = " ".join(str(error).split())
    known = isinstance(error, ImportError | AttributeError | TypeError | ValueError) and told
    return told if known else f"{type(error).__name__}: {told}"


def _keywords(made: Any) -> list[str] | None:
    """Names of the keyword arguments of a class; None when it takes any. AttributeError: it is no class."""
    if not callable(made):
        raise AttributeError(f"{made!r:.40} is no class")
    parameters = inspect.signature(made).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return [p.name for p in parameters]


def _unlike(made: Any, key: str, value: Any) -> str | None:
    """What a class's own annotation of a parameter says against a value; None: nothing, or it has none."""
    parameter = inspect.signature(made).parameters.get(key)
    if parameter is None or parameter.annotation not in (bool, int, float, str):
        return None
    try:
        TypeAdapter(parameter.annotation).validate_python(value)
    except ValidationError as error:
        return str(error.errors()[0]["msg"])
    return None


def _hint(key: str, accepted: list[str]) -> str:
    return nearest(key, accepted) if accepted else "it takes no parameters"
