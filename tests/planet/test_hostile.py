"""Whatever an agent sends: an answer in words, and a state that an error leaves as it was."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planet.records.episode import Trajectory
from planet.world.arguments import shown, unplain
from planet.world.session import Session, replay
from tests.planet.toy_tasks import toy_task
from tests.planet.worlds import toy_world

TASK = toy_task()
SESSION = Session(*toy_world(), turns=None)

# text with half surrogate pairs, control characters, NUL; numbers without end; values deep inside values
TEXT = st.text(st.characters(exclude_categories=()), max_size=20) | st.sampled_from(
    ["\x00", "\ud800", "id", "CUS-0001", "%_!", "x" * 3000]
)
NUMBER = st.floats() | st.integers() | st.sampled_from([-(10**400), 2**63, 2**53, 1e308, -0.0])
VALUE = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)
COLUMN = st.sampled_from([c.name for r in toy_world()[0].layout.resources for c in r.columns]) | TEXT
FILTER = st.fixed_dictionaries(
    {"column": COLUMN | VALUE, "op": st.sampled_from(["=", "<", ">", "contains"]) | VALUE, "value": VALUE}
)
ARGUMENTS = (
    st.dictionaries(COLUMN, VALUE, max_size=4)
    | st.fixed_dictionaries(
        {"id": st.sampled_from(["CUS-0001", "TIC-0001"]) | VALUE}, optional={"credit": VALUE}
    )
    | st.fixed_dictionaries({"filters": st.lists(FILTER, max_size=3) | VALUE}, optional={"page": VALUE})
    | st.fixed_dictionaries({"query": VALUE}, optional={"page": VALUE})
)
TOOL = st.sampled_from([tool.name for tool in TASK.view.tools])
CALL = st.tuples(TOOL, ARGUMENTS) | st.tuples(st.none() | TOOL | TEXT | VALUE, VALUE)
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


def state() -> list:
    """Every row of the session's copy, and its log of writes."""
    tables = [*toy_world()[0].seed.rows, "documents"]
    rows = [SESSION.connection.execute(f'SELECT * FROM "{t}" ORDER BY "id"').fetchall() for t in tables]
    return [rows, list(SESSION.writes)]


def plain(text: str) -> bool:
    return all(c.isprintable() or c == "\n" for c in text)


@QUICK
@given(st.lists(CALL, max_size=4))
def test_any_call_is_answered_in_words_and_the_episode_can_be_written_and_replayed(calls):
    SESSION.begin(TASK)
    for tool, arguments in calls:
        before = state()
        result = SESSION.call(tool, arguments)
        assert (result.error is None) == (result.payload is not None)
        assert result.error is None or state() == before
        assert result.error is None or (0 < len(result.error) < 400 and plain(result.error)), result.error
    assert SESSION.steps == len(calls)
    trajectory = SESSION.finish("done", "answer")
    grade = SESSION.grade()
    again = Trajectory.model_validate_json(trajectory.model_dump_json())
    assert again == trajectory
    assert replay(SESSION, TASK, again) == grade


@QUICK
@given(VALUE)
def test_a_value_called_plain_survives_json(value):
    if unplain(value) is None:
        assert json.loads(json.dumps(value).encode()) == value
    assert len(shown(value)) <= 60


@pytest.mark.parametrize("tool", [tool.name for tool in TASK.view.tools])
@pytest.mark.parametrize(
    "value",
    [
        "\ud800",
        "a\x00b",
        10**5000,
        float("nan"),
        float("-inf"),
        nested(5000),
        {"a": nested(5000)},
        b"x",
        "x" * 10**6,
    ],
    ids=[
        "surrogate",
        "NUL",
        "huge int",
        "nan",
        "-inf",
        "deep list",
        "deep dict",
        "bytes",
        "a million characters",
    ],
)
def test_no_single_odd_value_breaks_a_tool(tool, value):
    for name in ("id", "query", "filters", "page", "name", "credit", "customer_id", "nonsense"):
        SESSION.begin(TASK)
        result = SESSION.call(tool, {name: value})
        assert result.payload is None
        assert len(result.error) < 400
        SESSION.finish("done", "answer").model_dump_json()
        SESSION.grade()


@pytest.mark.parametrize(
    "tool", ["", "x" * 10**6, "get_customer; DROP TABLE customer", "\ud800", "__class__"]
)
def test_no_odd_tool_name_breaks_a_session(tool):
    SESSION.begin(TASK)
    assert len(SESSION.call(tool, {}).error) < 200
    SESSION.finish("done", "answer").model_dump_json()


def test_sql_in_arguments_is_text():
    SESSION.begin(TASK)
    name = "x'); DROP TABLE customer; --"
    assert SESSION.call("update_customer", {"id": "CUS-0001", "name": name}).ok
    assert SESSION.call("get_customer", {"id": "CUS-0001"}).payload["name"] == name
    assert SESSION.call("search_customer", {"filters": [{"column": "name", "op": "=", "value": name}]}).ok
