"""What the commands of the loop share: one-line complaints, and the exit codes that go with them."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from analysis.errors import AnalysisError
from loop.errors import LoopError
from planet.errors import BriefError, CatalogError, PlanetError
from policy.errors import PolicyError

WRONG_USE = 2
FAILED = 1


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """One line."""
        self.exit(WRONG_USE, f"{self.prog}: {message}; see {self.prog} --help\n")


@dataclass
class Outcome:
    """How a command ended."""

    code: int = 0


@contextmanager
def one_line_errors() -> Iterator[Outcome]:
    """Errors that a user can act on end as one line and an exit code: the boundary of every command."""
    outcome = Outcome()
    try:
        yield outcome
    except LoopError as error:
        outcome.code = error.exit_code
        print(error, file=sys.stderr)
    except (CatalogError, BriefError) as error:
        outcome.code = WRONG_USE
        print(error, file=sys.stderr)
    except (PlanetError, PolicyError, AnalysisError) as error:
        outcome.code = FAILED
        print(error, file=sys.stderr)
