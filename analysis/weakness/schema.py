"""The JSON Schema of a report, shipped as weakness.schema.json.

`python -m analysis.weakness.schema` prints it.
"""

import json
from collections.abc import Sequence

from analysis.command import command
from analysis.weakness.record import WeaknessReport


def schema_text() -> str:
    """The JSON Schema of one report, as it is shipped."""
    return json.dumps(WeaknessReport.model_json_schema(), indent=1, ensure_ascii=False) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the schema; returns the exit code."""
    command("weakness.schema", "The JSON Schema of a weakness report.").parse_args(argv)
    print(schema_text(), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
