"""Keys are taken out of every text that comes back from an endpoint, before it is shown or written."""

import os
import re
from collections.abc import Mapping

HIDDEN = "[key]"
_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$")
_SHAPE = re.compile(r"\bsk-[\w-]{8,}|(?<=\bBearer )\S+", re.IGNORECASE)
_SHORTEST = 8
"""Characters of a value that is taken for a key: shorter ones, as "none" or "EMPTY", occur in answers."""


def redact(text: str, named: str | None = None, environment: Mapping[str, str] | None = None) -> str:
    """`text` without the keys of the environment and without what looks like one.

    `named`: the variable that holds a key, however it is called.
    """
    variables = os.environ if environment is None else environment
    keys = {
        v for k, v in variables.items() if (k == named or _NAME.search(k.upper())) and len(v) >= _SHORTEST
    }
    for key in sorted(keys, key=len, reverse=True):  # a key that begins with another one goes first
        text = text.replace(key, HIDDEN)
    return _SHAPE.sub(HIDDEN, text)
