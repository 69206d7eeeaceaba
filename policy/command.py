"""What the policy's commands share: one-line complaints, with exit code 2 for wrong use."""

from collections.abc import Callable

from planet import command
from planet.command import WRONG_USE, Parser, complain, positive
from policy.errors import PolicyError

__all__ = ["Parser", "finish", "positive"]


def finish(parser: Parser, work: Callable[[], int]) -> int:
    """Do a command's work and give its exit code; what the policy or the disk refuses becomes one line."""

    def bounded() -> int:
        try:
            return work()
        except PolicyError as error:
            complain(f"{parser.prog}: {error}")
            return WRONG_USE

    return command.finish(parser, bounded)
