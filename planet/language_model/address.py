"""Addresses that the environment gives: which server answers may depend on a variable that LiteLLM reads.

Answers are kept by what they follow from, so such an address counts as one that is given outright does. Which
variable LiteLLM reads for which provider has no list; the variables of a provider begin with its name, and
telling two servers apart too often costs a question, taking one for another a wrong answer.
"""

import os
import re
from collections.abc import Mapping

from planet.identity import digest
from planet.language_model.settings import Reach

_ADDRESS = re.compile(r"_(API_BASE|BASE_URL|ENDPOINT|URL)$|^DATABRICKS_HOST$")
_BASE = re.compile(r"_(API_BASE|BASE_URL)$")
"""Of a model that names no provider: shells have addresses of other things, but hardly under these names."""
_FURTHER = {
    "BEDROCK": ("AWS",),
    "HUGGINGFACE": ("HF",),
    "SAGEMAKER": ("AWS",),
    "TEXT": ("OPENAI", "CODESTRAL"),
    "VOLCENGINE": ("ARK",),
    "WATSONX": ("WX", "WML"),
}
"""First word of a provider -> further beginnings of its variables."""
_REDIRECTION = "USE_LITELLM_PROXY"
"""With this variable LiteLLM sends everything to LITELLM_PROXY_API_BASE."""


def addresses(settings: Reach, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Variables that may say where the model is, with their values; empty where `api_base` says it."""
    if settings.api_base is not None:
        return {}
    variables = os.environ if environment is None else environment
    names = _beginnings(settings.model, variables)
    return {
        name: value
        for name, value in sorted(variables.items())
        if value
        and (_BASE.search(name) if names is None else _ADDRESS.search(name) and name.startswith(names))
    }


def answer_name(request: dict[str, object], settings: Reach) -> str:
    """The name by which the answer to a request is kept."""
    given = addresses(settings)
    return digest({**request, "addresses": given} if given else request, length=40)


def _beginnings(model: str, variables: Mapping[str, str]) -> tuple[str, ...] | None:
    """Of the variables of a model's provider; None: a model that names none may be of any."""
    provider, slash, _ = model.partition("/")
    if not slash:
        return None
    first = re.split(r"[^A-Z0-9]", provider.upper())[0]
    redirected = ("LITELLM",) if variables.get(_REDIRECTION) else ()
    return (first, *_FURTHER.get(first, ()), *redirected)
