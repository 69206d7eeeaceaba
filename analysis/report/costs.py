"""The section on costs: environment steps by purpose, the author, and time."""

from analysis.report.markup import Html, note, section, table
from analysis.report.record import RunRecord

_STEPS = """
SELECT purpose, charged, SUM(steps) AS steps FROM charges WHERE run_id = :run
GROUP BY purpose, charged ORDER BY SUM(steps) DESC, purpose
"""
_AUTHOR = """
SELECT author, link, COUNT(*) AS calls, SUM(CASE WHEN accepted THEN 0 ELSE 1 END) AS refused,
       SUM(tokens_in) AS tokens_in, SUM(tokens_out) AS tokens_out, SUM(dollars) AS dollars
FROM author_calls WHERE run_id = :run GROUP BY author, link ORDER BY author, link
"""
_TIME = """
SELECT s.kind, COUNT(*) AS steps, SUM(c.seconds) AS seconds FROM steps s
JOIN clocks c ON c.run_id = s.run_id AND c.step = s.step
WHERE s.run_id = :run GROUP BY s.kind ORDER BY SUM(c.seconds) DESC
"""


def cost_section(record: RunRecord) -> Html:
    """What the run cost, by purpose."""
    query = record.run.ledger.query
    steps = query(_STEPS, run=record.run.id)
    author = query(_AUTHOR, run=record.run.id)
    time = query(_TIME, run=record.run.id)
    charged = sum(int(row["steps"]) for row in steps if row["charged"])
    return section(
        2,
        "Costs",
        table(
            ("environment steps for", "steps", "charged", "share of the charged"),
            [_steps(row, charged) for row in steps],
            words=(0, 2),
        ),
        note(
            f"{charged:,} steps were charged in all; one step is one call executed by a session, unreadable "
            "output included."
        ),
        table(
            ("author", "link", "calls", "refused", "tokens in", "tokens out", "dollars"),
            [
                (
                    row["author"],
                    row["link"],
                    row["calls"],
                    row["refused"],
                    *_tokens(row),
                    f"{row['dollars']:.2f}",
                )
                for row in author
            ],
            words=(0, 1),
        )
        if author
        else note("No author call was made for new worlds."),
        table(
            ("time in", "steps", "seconds"),
            [(row["kind"].replace("_", " "), row["steps"], f"{row['seconds']:,.1f}") for row in time],
        ),
    )


def _steps(row: dict[str, object], charged: int) -> tuple[object, ...]:
    steps = int(str(row["steps"]))
    share = f"{steps / charged:.1%}" if row["charged"] and charged else "-"
    return (str(row["purpose"]).replace("_", " "), f"{steps:,}", "yes" if row["charged"] else "no", share)


def _tokens(row: dict[str, object]) -> tuple[str, str]:
    return f"{row['tokens_in']:,}", f"{row['tokens_out']:,}"
