"""What a model answered, in words and in tool calls, and the folder in which answers are kept.

An answer is found by the content of its request (model, address, messages, parameters), so the same command
again costs nothing and gives the same worlds. It carries what it cost when it was paid for. Neither request
nor key is written.
"""

from pathlib import Path

from planet.author.artifacts import AuthorCost
from planet.errors import StorageError
from planet.records.frozen import Frozen
from planet.whole_file import write_whole

LONGEST_ANSWER = 200_000
"""Characters of an answer, or of the arguments of a call, that are kept; an artifact takes a few thousand."""
MOST_CALLS = 64
"""Calls of one answer that are kept; an episode has a third of them."""


class SaidCall(Frozen):
    """One tool call as the model wrote it: nothing of it has been checked."""

    name: str  # at most LONGEST_ANSWER + 1 characters; empty: it named no tool
    arguments: str  # at most as many; JSON text if all is well


class Answer(Frozen):
    """The text of one completion."""

    text: str  # at most LONGEST_ANSWER + 1 characters; empty: the model said nothing
    characters: int  # of the whole text
    calls: tuple[SaidCall, ...] = ()  # in the order in which they were written
    refusal: str | None = None  # why the model declines, where its endpoint tells refusals apart
    finish: str  # why it ended, in the endpoint's words, e.g. "stop" or "length"
    tokens_in: int
    tokens_out: int
    dollars: float  # 0.0 where the model has no known price

    @property
    def whole(self) -> bool:
        """Whether nothing of it was cut off when it was read: a part of an answer is not kept."""
        longest = max((len(call.arguments) for call in self.calls), default=0)
        return max(self.characters, longest) <= LONGEST_ANSWER

    @property
    def cost(self) -> AuthorCost:
        """What this one call took."""
        return AuthorCost(calls=1, tokens_in=self.tokens_in, tokens_out=self.tokens_out, dollars=self.dollars)


class AnswerCache:
    """Answers in files, by the digest of their request; any number of threads and processes may use it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, digest: str) -> Answer | None:
        """The answer to a request; None when there is none, or none that can be read."""
        try:
            return Answer.model_validate_json(self._path(digest).read_bytes())
        except (OSError, ValueError):
            return None

    def keep(self, digest: str, answer: Answer) -> None:
        """Write an answer beside its place and move it there; StorageError when the disk refuses."""
        path = self._path(digest)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, answer.model_dump_json())
        except OSError as error:
            raise StorageError(
                f"{path}: the answer cannot be kept ({error}); free the place or name another folder"
            ) from error

    def _path(self, digest: str) -> Path:
        return self.folder / digest[:2] / f"{digest}.json"
