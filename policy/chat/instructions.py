"""The system message: who the agent is, how it works, and, where the template does not say so, the tools."""

import json
from collections.abc import Callable

from planet.records.view import TaskView
from policy.chat.reading import CLOSE, OPEN
from policy.chat.style import Style

_WORK = (
    "You work as {role} in a company's systems and carry out one task with tools. Call one tool at a time "
    "and wait for its result. Rules of the company stand in its documents; look there for what a change "
    "requires elsewhere. When everything is done, answer in a few words, without a call."
)
_TOOLS = (
    "\n\nThese are the tools, each with a JSON Schema of its arguments:\n<tools>\n{tools}\n</tools>\n\n"
    "A call is one JSON object within marks:\n"
    '{open}\n{{"name": "get_ticket", "arguments": {{"id": "TIC-0001"}}}}\n{close}'
)


def system_message(view: TaskView, style: Style, plain: Callable[[str], str] = str) -> str:
    """The system message of a task. `plain` disarms what the world wrote."""
    role = view.role.replace("_", " ")
    article = "an" if role[:1] in "aeiou" else "a"
    text = _WORK.format(role=f"{article} {plain(role)}")
    if style.knows_tools:
        return text
    lines = (
        json.dumps(
            {"name": spec.name, "description": spec.description, "parameters": spec.parameters},
            ensure_ascii=False,
        )
        for spec in view.tools
    )
    return text + _TOOLS.format(tools="\n".join(map(plain, lines)), open=OPEN, close=CLOSE)
