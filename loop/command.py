"""What the commands of the loop share: one-line complaints, and the exit codes that go with them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from analysis.errors import AnalysisError
from loop.errors import Interrupted, LoopError
from planet.command import WRONG_USE, close_output, complain, print_anything, unexpected
from planet.errors import BriefError, CatalogError, PlanetError
from policy.errors import PolicyError

FAILED = 1


@dataclass
class Outcome:
    """How a command ended."""

    code: int = 0


@contextmanager
def one_line_errors() -> Iterator[Outcome]:
    """Errors that a user can act on end as one line and an exit code: the boundary of every command."""
    outcome = Outcome()
    print_anything()
    try:
        yield outcome
    except LoopError as error:
        outcome.code = error.exit_code
        complain(error)
    except (CatalogError, BriefError) as error:
        outcome.code = WRONG_USE
        complain(error)
    except (PlanetError, PolicyError, AnalysisError) as error:
        outcome.code = FAILED
        complain(error)
    except BrokenPipeError:
        close_output()
        outcome.code = FAILED
        complain("nobody reads the output any more; what was recorded is kept")
    except OSError as error:
        outcome.code = FAILED
        complain(f"{error}; make that place usable, or name another")
    except KeyboardInterrupt:
        outcome.code = Interrupted.exit_code
        complain("stopped")
    except Exception as error:  # a fault of this program, or of a plug-in
        outcome.code = FAILED
        complain(unexpected(error))
