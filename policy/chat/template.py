"""`ChatTemplate`: a model's own Jinja template, rendered in a sandbox.

A template is code that came with the weights. The sandbox lets it neither reach attributes of Python's
objects nor change what it is given. What it lacks on purpose is a clock: templates that would write today's
date write their fixed one, so that a prompt is the same tomorrow.
"""

import json
from typing import Any

from policy.errors import WeightsError
from policy.weights.packages import needed

Message = dict[str, Any]
"""`role` and `content`, and `tool_calls` where there are some."""
LONGEST = 4_000_000
"""Characters of a rendered text."""


class ChatTemplate:
    """Messages to text. `names` are the tokens that templates refer to, e.g. `bos_token`."""

    def __init__(self, source: str, names: dict[str, str], where: str) -> None:
        jinja = needed("jinja2")
        sandbox = needed("jinja2.sandbox")
        surroundings = sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        surroundings.filters["tojson"] = as_json
        surroundings.globals["raise_exception"] = _refuse
        self._names, self._where = names, where
        try:
            self._template = surroundings.from_string(source)
        except jinja.TemplateError as error:
            raise WeightsError(f"{where}: the chat template does not parse ({error}); correct it") from error

    def render(
        self, messages: list[Message], tools: list[dict[str, Any]] | None = None, *, more: bool, **asked: Any
    ) -> str:
        """The text of a conversation. `more`: up to where the model is to speak.

        Raises WeightsError when the template refuses or fails.
        """
        try:
            pieces, size = [], 0
            for piece in self._template.generate(
                messages=messages, tools=tools, add_generation_prompt=more, **self._names, **asked
            ):
                pieces.append(piece)
                size += len(piece)
                if size > LONGEST:
                    raise ValueError(f"it writes more than {LONGEST} characters")
        except Exception as error:  # the template is foreign code
            raise WeightsError(
                f"{self._where}: the chat template fails ({type(error).__name__}: {error}); "
                f"use the template of the model's family"
            ) from error
        return "".join(pieces)


def as_json(value: Any, indent: int | None = None, **_: Any) -> str:
    """JSON as models have read it: non-ASCII letters as they are, no escapes for HTML."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(message: str) -> None:
    raise ValueError(message)
