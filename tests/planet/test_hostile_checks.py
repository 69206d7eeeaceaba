"""Hidden checks that nobody validated: each is refused by name, within bounds of steps and memory."""

import resource
import subprocess
import sys

import pytest

from planet.errors import GraderError, SessionError
from planet.validators import validate
from planet.world import untrusted_sql
from planet.world.database import violating_ids
from planet.world.session import Session
from tests.planet.toy_tasks import edit, toy_task, vip_task
from tests.planet.worlds import PAUSED, VIP, changed, toy_world

TASK = toy_task()
SESSION = Session(*toy_world(), turns=None)


def run(sql: str) -> list[str]:
    SESSION.begin(TASK)
    return violating_ids(SESSION.connection, SESSION.guard, sql)


COUNTER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
JOINED = ", ".join(f'"customer" c{n}' for n in range(18))


def mentions(levels: int) -> str:
    """Each level names a result and mentions it eight times: eight levels are 8⁸ = 16.8 million terms."""
    inner = f"v{levels}"
    for level in range(levels, 0, -1):
        named = f"v{level - 1}" if level > 1 else "name"
        inner = f"EXISTS (SELECT coalesce({', '.join([named] * 8)}) v{level} FROM customer WHERE {inner})"
    return f"SELECT id FROM customer WHERE {inner}"


def counted_out(levels: int) -> str:
    """Each level groups by its first result eight times."""
    inner = "1"
    for _ in range(levels):
        inner = f"0 = (SELECT max({inner}) FROM ticket GROUP BY {', '.join(['1'] * 8)})"
    return f"SELECT id FROM customer WHERE {inner}"


def derived(levels: int) -> str:
    """Each level mentions a derived column eight times."""
    inner = "customer"
    for level in range(levels):
        inner = f"(SELECT {' || '.join(['name'] * 8)} AS name FROM {inner}) t{level}"
    return f"SELECT name FROM {inner}"


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("INSERT INTO customer (id) VALUES ('CUS-0009')", "is not a SELECT"),
        ("UPDATE customer SET tier = 'vip'", "is not a SELECT"),
        ("DELETE FROM customer", "is not a SELECT"),
        ("DROP TABLE customer", "is not a SELECT"),
        ("CREATE TABLE t (a)", "is not a SELECT"),
        ("WITH t AS (SELECT 1) DELETE FROM customer", "is not a SELECT"),
        ("ATTACH DATABASE '/etc/passwd' AS other", "is not a SELECT"),
        ("DETACH DATABASE main", "is not a SELECT"),
        ("PRAGMA foreign_keys = OFF", "is not a SELECT"),
        ("VACUUM INTO 'out.sqlite'", "is not a SELECT"),
        ("ROLLBACK TO episode", "is not a SELECT"),  # the session itself prepared this, with the guard open
        ("SAVEPOINT episode", "is not a SELECT"),
        ("COMMIT", "is not a SELECT"),
        ("", "is not a SELECT"),
        ("\x00", "is not a SELECT"),
        (COUNTER, "is not a SELECT"),
        (f"SELECT id FROM customer WHERE EXISTS ({COUNTER})", "uses 'WITH'"),
        ("SELECT id FROM customer; DROP TABLE customer", "uses ';'"),
        ("SELECT id FROM customer -- all of them", "uses '--'"),
        ("SELECT id FROM customer /* all */", r"uses '/\*'"),
        ("SELECT id FROM customer WHERE name = ?", r"uses '\?'"),
        ("SELECT id FROM customer WHERE name = 'open", 'uses "\'"'),
        ("SELECT id FROM customer WHERE tier = \u2018vip\u2019", r"uses '\\u2018'"),
        ("SELECT id\x00 FROM customer", r"uses '\\x00'"),
        ("SELECT name || name || name FROM customer", r"uses '\|\|'"),
        ("SELECT id FROM customer UNION SELECT id FROM ticket", "uses 'UNION'"),
        ("SELECT id FROM customer ORDER BY 1, 1, 1, 1", "uses 'ORDER'"),
        (counted_out(9), "uses 'GROUP'"),
        ("SELECT id FROM customer NATURAL FULL JOIN customer c", "uses 'NATURAL'"),
        (mentions(6), "has a result column that is no plain column or function: 'coalesce"),
        (mentions(9), "uses SELECT 10 times; at most 8 are allowed"),
        ("SELECT name AS n FROM customer WHERE n AND n", "has a result column that is no plain column"),
        ("SELECT 1 'n' FROM customer WHERE n", "has a result column that is no plain column"),
        ("SELECT count(*) n FROM customer WHERE n", "has a result column that is no plain column"),
        (derived(7).replace("||", "+"), "uses SELECT again where it is not after EXISTS"),
        ("SELECT x.id FROM (SELECT id FROM customer) x", "uses SELECT again where it is not after EXISTS"),
        ("SELECT coalesce((SELECT id FROM ticket)) FROM customer", "uses SELECT again where it is not after"),
        ("SELECT id FROM customer WHERE name = '" + "x" * 10_000_000 + "'", "has 10,000,039 characters"),
        ("SELECT * FROM pragma_database_list", "could not run"),
        ("SELECT sql FROM sqlite_master", "could not run: access to .* is prohibited"),
        ("SELECT load_extension('evil')", "could not run: not authorized"),
        ("SELECT writefile('out', 'x')", "could not run: no such function|could not run: not authorized"),
        ("SELECT readfile('/etc/passwd')", "could not run: no such function|could not run: not authorized"),
        ("SELECT hex(randomblob(1000000000))", "could not run: not authorized"),
        ("SELECT zeroblob(1000000000)", "could not run: not authorized"),
        ("SELECT printf('%.*c', 1000000000, 'x')", "could not run: not authorized"),
        ("SELECT group_concat(name) FROM customer", "could not run: not authorized"),
        ("SELECT json_group_array(name) FROM customer", "could not run: not authorized"),
        (f"SELECT count(*) FROM {JOINED}", "could not run: interrupted"),  # 3^18 rows
        (f"SELECT c0.id FROM {JOINED}", "names more than 100,000 rows|could not run: interrupted"),
        ("SELECT id FROM customer WHERE " + "(" * 200 + "1" + ")" * 200, "could not run: "),
        ("SELECT id FROM customer WHERE " + "+".join("1" * 200), "could not run: Expression tree is too"),
        ("SELECT nonsense FROM customer", "could not run: no such column"),
        ("SELECT", "has a result column that is no plain column"),
        ("SELECT '\ud800'", "could not run"),
    ],
)  # fmt: skip
def test_a_check_that_does_more_than_read_within_bounds_is_refused_by_name(sql, message):
    with pytest.raises(GraderError, match=f"hidden check ({message})") as caught:
        run(sql)
    assert len(str(caught.value)) < 500
    assert len(run("SELECT id FROM customer")) == 3
    assert SESSION.call("update_customer", {"id": "CUS-0001", "tier": "gold"}).ok  # tools work as before


HUNGRY = (mentions(7), counted_out(7), derived(9), mentions(40))


def test_what_takes_memory_while_it_is_prepared_is_refused_before_sqlite_sees_it():
    """In a process of three gigabytes, which each of these would fill."""
    code = (
        "import resource\n"
        "from tests.planet.test_hostile_checks import HUNGRY, run\n"
        "from planet.errors import GraderError\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for sql in HUNGRY:\n"
        "    try: run(sql)\n"
        "    except GraderError: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    grown = [int(line) for line in done.stdout.splitlines()]
    assert len(grown) == 4 and max(grown) < 10_000  # kilobytes


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (VIP.sql, []),
        (PAUSED.sql, []),
        (
            "SELECT c.id FROM customer c JOIN ticket t ON t.customer_id = c.id "
            "WHERE lower(t.severity) = 'major' AND 3 = (SELECT count(*) FROM ticket)",
            ["CUS-0002"],
        ),
        ("SELECT DISTINCT tier FROM customer WHERE credit * 2 - 1 > 900.5 AND name < 'C'", ["basic"]),
        ("SELECT max(credit) FROM customer WHERE id IN (SELECT customer_id FROM ticket LIMIT 9)", ["1200.5"]),
        ("select \"tier\" from customer where name <> 'group; -- || it''s' and credit < 900", ["basic"]),
    ],
)
def test_a_check_may_join_count_and_compare(sql, rows):
    assert run(sql) == rows


def test_the_checks_of_every_template_world_pass(dozen):
    for made in dozen:
        assert [untrusted_sql.text_problem(rule.sql) for rule in made.key.invariants] == [None] * len(
            made.key.invariants
        )


DEEP = VIP.sql + " AND 0 = " + "+".join("0" * 150)


@pytest.mark.parametrize("sql", [mentions(3), counted_out(3), derived(2), DEEP])
def test_a_world_with_such_a_check_is_refused_by_v09_and_no_session_opens_on_it(sql):
    world, key = changed(invariants=(VIP.replace(sql=sql), PAUSED))
    assert validate(world, key).fired == ("V09",)
    with pytest.raises(GraderError, match="hidden check"):
        Session(world, key).begin(vip_task(world))


def test_nothing_is_ever_attached_not_even_outside_a_check():
    with pytest.raises(Exception, match="not authorized"):
        SESSION.connection.execute("ATTACH DATABASE ':memory:' AS other")


@pytest.mark.parametrize("value", [2**70, 10**400])
def test_a_delta_that_no_column_takes_is_refused_by_name(value):
    delta = (edit("customer", "CUS-0001", name=value),)
    task = TASK.replace(key=TASK.key.replace(delta=delta))
    with pytest.raises(SessionError, match=f"the delta of task {task.id} does not apply"):
        SESSION.begin(task)
