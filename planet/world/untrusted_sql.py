"""What the text of a hidden check may not hold, and the limits of a connection on which one runs.

The step limit counts what SQL does while it runs. These are about what it takes before that: SQLite writes a
derived table, a named result column, and a result column that GROUP BY or ORDER BY counts out again at every
mention, so that 400 characters can ask for a gigabyte while they are prepared. Checks need none of that.
"""

import re
import sqlite3
from functools import lru_cache

LONGEST = 4_000
"""Characters of a check; one that PLANET writes has about 250."""
MOST_SELECTS = 8
_TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | [A-Za-z_]\w* | [0-9][\w.]*
    | -- | /\* | \|\| | <= | >= | <> | != | == | \S""",
    re.VERBOSE | re.ASCII,
)
_COMPARISONS = frozenset({"=", "==", "<>", "!=", "<", ">", "<=", ">="})
_SIGNS = _COMPARISONS | frozenset("(),.+-*/%")
_WORDS_OUT = frozenset(
    {"with", "values", "union", "intersect", "except", "group", "order", "having", "window", "over"}
    | {"natural", "using"}  # these, too, write columns out that the text does not mention
)
_BEFORE_SELECT = _COMPARISONS | {"exists", "in"}
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 1_000_000,  # bytes of a text, and of a row
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 2,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 50_000,  # instructions of one statement
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 32,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}


def bound(connection: sqlite3.Connection) -> None:
    """Set the limits of a connection that runs checks, or reads a database that came from elsewhere."""
    for category, most in _LIMITS.items():
        connection.setlimit(category, most)


@lru_cache(maxsize=4_096)
def text_problem(sql: str) -> str | None:
    """Why a check is refused before SQLite sees it, as the end of a sentence; None: it is not refused."""
    if len(sql) > LONGEST:
        return f"has {len(sql):,} characters; at most {LONGEST:,} are allowed"
    tokens = [token if token[0] in "'\"" else token.lower() for token in _TOKEN.findall(sql)]
    if not tokens or tokens[0] != "select":
        return "is not a SELECT"
    odd = next((token for token in tokens if _is_odd(token)), None)
    if odd is not None:
        return f"uses {odd.upper()!a}"
    if tokens.count("select") > MOST_SELECTS:
        return f"uses SELECT {tokens.count('select')} times; at most {MOST_SELECTS} are allowed"
    for at, token in enumerate(tokens):
        if token == "select":
            problem = _place_problem(tokens, at) or _columns_problem(tokens, at + 1)
            if problem:
                return problem
    return None


def _is_odd(token: str) -> bool:
    if token[0] in "'\"":
        return len(token) == 1  # it is never closed
    known = token in _SIGNS or (token.isascii() and (token[0].isalnum() or token[0] == "_"))
    return token in _WORDS_OUT or not known


def _place_problem(tokens: list[str], at: int) -> str | None:
    allowed = at == 0 or (at > 1 and tokens[at - 1] == "(" and tokens[at - 2] in _BEFORE_SELECT)
    return None if allowed else "uses SELECT again where it is not after EXISTS, IN or a comparison"


def _columns_problem(tokens: list[str], at: int) -> str | None:
    """Result columns are plain: a name, a literal, a star, or one function of something."""
    at += tokens[at : at + 1] in (["distinct"], ["all"])
    depth, column = 0, list[str]()
    for token in [*tokens[at:], ")"]:
        depth += (token == "(") - (token == ")")
        if depth < 0 or (depth == 0 and token in (",", "from", "where")):
            if not _is_plain(column):
                return f"has a result column that is no plain column or function: {' '.join(column)[:60]!a}"
            if token != ",":
                return None
            column = []
        else:
            column.append(token)
    return None


def _is_plain(column: list[str]) -> bool:
    if len(column) == 1:
        return column[0] == "*" or column[0][0].isalnum() or column[0][0] in "_'\""
    if len(column) == 3 and column[1] == ".":
        return True
    # a function, whose bracket closes where the column ends
    depth, closed = 0, []
    for place, token in enumerate(column):
        depth += (token == "(") - (token == ")")
        if token == ")" and depth == 0:
            closed.append(place)
    return len(column) > 2 and column[1] == "(" and closed == [len(column) - 1]
