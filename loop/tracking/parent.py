"""The MLflow parent run of a sweep: `python -m loop.tracking.parent URI EXPERIMENT [--plan DIGEST]`.

Children find it by its tag. It is made before they start, so that two of them cannot make two.
"""

import sys

from loop.tracking.protocol import TrackingError
from planet.command import Parser


def main(argv: list[str] | None = None) -> int:
    """The command line; exit code 1 when the store is down."""
    parser = Parser(prog="python -m loop.tracking.parent", description=__doc__)
    parser.add_argument("uri", metavar="URI", help="tracking URI, e.g. sqlite:///runs/mlflow.db")
    parser.add_argument("experiment", metavar="EXPERIMENT")
    parser.add_argument("--plan", metavar="DIGEST", help="of the plan that the sweep follows, kept as a tag")
    given = parser.parse_args(argv)
    from loop.tracking.mlflow_store import MlflowTracker

    try:
        MlflowTracker(given.uri).parent(given.experiment, given.plan)
    except TrackingError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
