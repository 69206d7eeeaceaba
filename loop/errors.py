"""One error tree for the loop; each class is one boundary, and knows the exit code of a command.

A message is one line that says what broke, the value seen, and what to do.
"""


class LoopError(Exception):
    """Any failure of a run that its user can act on."""

    exit_code = 1


class ConfigError(LoopError):
    """A configuration is unreadable, has an unknown key, or a value that is not allowed."""

    exit_code = 2


class RunDirectoryError(LoopError):
    """A run directory is missing, in use, or holds another run."""

    exit_code = 2


class SweepError(LoopError):
    """A sweep cannot begin or go on as asked: its plan has changed, or a run of it failed."""

    exit_code = 2


class DiskError(LoopError):
    """The disk refused a write; nothing half-written was left behind."""


class RunError(LoopError):
    """A run cannot go on: its records do not fit each other, or a split cannot be built."""


class Interrupted(LoopError):
    """The user asked for the end; the step in hand was completed and recorded."""

    exit_code = 130


class ProcessesError(LoopError):
    """The processes of a run do not fit each other, or another one of them cannot go on."""

    exit_code = 2


class ProcessLostError(LoopError):
    """Another process of the run ended without a word, or cannot be reached any more. A watch may go on."""

    exit_code = 75
