"""What a model's message means: tool calls, an answer, a refusal, or nothing that can be read.

Nothing is believed: arguments that are no JSON object, a call without a name, a message that was cut off or
is empty are calls that could not be read. They are executed as such, counted, and answered with what was
wrong.
"""

from typing import Any, NamedTuple

from planet.language_model.answer import LONGEST_ANSWER, Answer, SaidCall
from planet.strict_json import loads

LONGEST_RAW = 2_000
"""Characters of unreadable output that an episode records."""


class ReadCall(NamedTuple):
    """One call as it is executed."""

    tool: str | None  # None: it could not be read
    arguments: dict[str, Any]  # {"raw", "problem"} where it could not


class Move(NamedTuple):
    """What a message does. At most one of `calls` and `answer` is filled."""

    calls: tuple[ReadCall, ...] = ()  # in order; those that could not be read included
    answer: str | None = None  # it ends the episode
    refused: bool = False  # the answer is that the model declines


def read(answer: Answer) -> Move:
    """The move of a message; text beside tool calls is a thought and does nothing."""
    if answer.calls:
        return Move(calls=tuple(_call(said) for said in answer.calls))
    if answer.refusal is not None or answer.finish == "content_filter":
        return Move(answer=answer.refusal or answer.text, refused=True)
    if answer.finish == "length":
        return _unreadable(answer.text, "the message was cut off at its limit of tokens; be shorter")
    if not answer.text.strip():
        return _unreadable("", "the message is empty; call a tool, or answer with a sentence to end")
    return Move(answer=answer.text)


def _unreadable(raw: str, problem: str) -> Move:
    return Move(calls=(ReadCall(None, {"raw": raw[:LONGEST_RAW], "problem": problem}),))


def _call(said: SaidCall) -> ReadCall:
    arguments, problem = _arguments(said.arguments)
    if not said.name:
        problem = "the call names no tool; give the name of one"
    if len(said.name) > LONGEST_ANSWER:
        problem = f"the name of the tool is over {LONGEST_ANSWER:,} characters long; give the name of one"
    if problem is None:
        return ReadCall(said.name, arguments)
    return ReadCall(None, {"raw": f"{said.name} {said.arguments}"[:LONGEST_RAW], "problem": problem})


def _arguments(text: str) -> tuple[dict[str, Any], str | None]:
    """The arguments, or what is wrong with them. An empty text means none."""
    if len(text) > LONGEST_ANSWER:
        return {}, f"the arguments are over {LONGEST_ANSWER:,} characters long; be shorter"
    try:
        value = loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        return {}, f"the arguments are no JSON ({str(error)[:100]}); give one JSON object"
    if not isinstance(value, dict):
        return {}, f"the arguments are a {type(value).__name__}; give one JSON object"
    return value, None
