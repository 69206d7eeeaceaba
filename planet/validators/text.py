"""Text that may stand in a world: printable, bounded, addressed to nobody, and shown shortened in messages.

A world is data. What reads like a prompt (marks of chat templates, orders to whoever reads) has no business
in it: an agent that obeys a row of a table would be graded for something else than its task.
"""

import re

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
"""A table or column: words joined by underscores, because tools, pages and instructions split it there."""
VALUE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
"""An enum value; it may begin with a digit."""
_PROMPT = re.compile(
    r"""<\|[^|<>]{1,40}\|> | <｜[^｜]{1,40}｜>                          # marks of chat templates
    | </?(?:s|bos|eos|pad|think|system|user|assistant|human|tool_call|tool_response|function_call|tool_use
           |start_of_turn|end_of_turn)(?:\s[^<>]*)?>
    | \[/?(?:inst|sys|system|available_tools|tool_calls|tool_results)\] | <</?sys>>
    | ^\W*(?:system|assistant|human)\s*:
    | \b(?:ignore|disregard|forget|override|bypass)\b .{0,40}
      \b(?:instructions?|system\s prompts?|guardrails)\b               # orders to whoever reads
    | \byou \s are \s (?:now|an?) \s .{0,20} \b(?:ai|language\s model|chatbot|llm)\b""",
    re.IGNORECASE | re.VERBOSE,
)
LONGEST_NAME = 60


def problem_of(text: str, longest: int) -> str | None:
    """What keeps `text` out of a world, in words; None when nothing does."""
    if not text.strip():
        return "is empty"
    if len(text) > longest:
        return f"has {len(text)} characters; at most {longest} are allowed"
    if not text.isprintable():
        return f"is {shown(text)}, which is not printable on one line"
    prompt = prompt_in(text)
    return f"holds {shown(prompt)}, which reads like a prompt; leave it out" if prompt else None


def prompt_in(text: str) -> str | None:
    """The first words or marks of a text that address a language model; None when there are none."""
    found = _PROMPT.search(text)
    return found.group() if found else None


def shown(value: object) -> str:
    """`value` for a message, at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def listed(names: list[str] | tuple[str, ...], most: int = 5) -> str:
    """The first few of `names`, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
