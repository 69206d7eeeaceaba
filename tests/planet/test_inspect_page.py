"""The page of a world: all that a reader wants, no text taken for markup, no service drawn upon another."""

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planet.inspect.__main__ import main
from planet.inspect.columns import columns
from planet.inspect.drawing import MOST, drawn
from planet.inspect.layers import layered
from planet.inspect.page import world_page
from planet.records.world import Edge, Service
from planet.store import StoredWorld, write_world
from tests.analysis.browser import Browser, find_chromium
from tests.planet.toy_tasks import toy_task, vip_task
from tests.planet.worlds import DOCUMENTS, PAUSED, VIP, changed, toy_world, with_cell

TOYS = StoredWorld(*toy_world(), (toy_task(), vip_task()))


class Reader(HTMLParser):
    """Elements with their attributes, and text, as a browser takes them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.texts))


# ── what it shows ─────────────────────────────────────────────────────────────────────────────────


def test_the_page_shows_company_services_rules_pages_tables_and_tasks():
    text = Reader(world_page(TOYS, TOYS.tasks[1], 3)).text
    for part in (
        "Aroeira Pumps",
        "manufacturing in BR, BRL, pt_BR, America/Sao_Paulo",
        "uses sales: ticket refers to customer",
        "When customer.tier is vip, every ticket linked by customer_id has severity critical.",
        "When customer.status is paused, a ticket linked by customer_id has status open.",
        VIP.sql,
        "when the tier of a customer becomes vip , set the severity of its ticket to critical .",
        "DOC-03 ticket review states no rule",
        'get_document {"id": "DOC-01"}',
        'of the customer with id "CUS-0001", tier is "vip"',
        "RULE-01: when customer.tier is vip",
        "severity of ticket TIC-0001",
        "severity enum: minor major critical",
        "customer_id -> customer required",
        "Barra Valves",
    ):
        assert part in text, part


def test_one_task_is_open_and_the_others_are_folded():
    def unfolded(task) -> int:
        elements = Reader(world_page(TOYS, task, 3)).elements
        return sum(tag == "details" and "open" in attributes for tag, attributes in elements)

    assert (unfolded(TOYS.tasks[1]), unfolded(None)) == (1, 0)


def test_every_box_and_arrow_is_there_and_says_what_it_is():
    titles = re.findall(r"<title>(.*?)</title>", drawn(TOYS), re.DOTALL)
    assert titles == [
        "help_desk uses sales: ticket refers to customer",
        "RULE-01: when customer.tier is vip, every ticket linked by customer_id has severity critical\n"
        "RULE-02: when customer.status is paused, a ticket linked by customer_id has status open",
        "help_desk (support): What customers complain about. Tables: ticket",
        "sales (crm): Who buys from us. Tables: customer",
    ]


def test_equal_worlds_give_equal_pages(dozen):
    for made in dozen[:4]:
        stored = StoredWorld(made.world, made.key, made.tasks)
        shuffled = made.world.graph.replace(
            services=made.world.graph.services[::-1], edges=made.world.graph.edges[::-1]
        )
        assert world_page(stored, None, 3) == world_page(stored, None, 3)
        other = drawn(stored._replace(world=made.world.replace(graph=shuffled)))
        assert sorted(re.findall(r' d="(.*?)"', drawn(stored))) == sorted(re.findall(r' d="(.*?)"', other))


def test_a_graph_beyond_measure_is_not_drawn():
    services = tuple(Service(name=f"s{n}", kind="crm", description="x") for n in range(MOST + 1))
    graph = TOYS.world.graph.replace(services=services, edges=())
    assert drawn(TOYS._replace(world=TOYS.world.replace(graph=graph))) == (
        "<p>61 services and 0 edges are too many to draw.</p>"
    )


# ── where things are drawn ────────────────────────────────────────────────────────────────────────


def test_users_stand_above_what_they_use_and_long_edges_get_waypoints():
    found = layered("abcd", [("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")])
    assert [set(row) for row in found.rows] == [{"a"}, {"b", "d", ("a", "c", 1)}, {"c"}]
    assert [p.layer for p in found.routes["a", "c"]] == [0, 1, 2]


def test_a_cycle_is_cut_in_the_order_of_names_and_its_last_edge_runs_upwards():
    found = layered("abc", [("a", "b"), ("b", "c"), ("c", "a")])
    assert [[item for item in row if isinstance(item, str)] for row in found.rows] == [["a"], ["b"], ["c"]]
    assert [p.layer for p in found.routes["c", "a"]] == [2, 1, 0]


def test_edges_onto_themselves_and_into_nowhere_are_left_out():
    assert layered("ab", [("a", "a"), ("a", "x"), ("x", "b")]).routes == {}


NAMES = [f"n{n:02d}" for n in range(14)]
EDGES = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=40)


@settings(max_examples=60, deadline=None)
@given(EDGES)
def test_no_two_things_overlap_and_every_edge_goes_layer_by_layer(edges):
    found = layered(NAMES, edges)
    assert sorted(item for row in found.rows for item in row if isinstance(item, str)) == NAMES
    assert set(found.routes) == {(a, b) for a, b in edges if a != b}
    for (source, target), route in found.routes.items():
        assert found.rows[route[0].layer][route[0].number] == source
        assert found.rows[route[-1].layer][route[-1].number] == target
        assert {abs(b.layer - a.layer) for a, b in pairwise(route)} == {1}
    widths = [[156.0 if isinstance(item, str) else 14.0 for item in row] for row in found.rows]
    at = columns(found, widths, gap=26.0)
    for layer, row in enumerate(widths):
        xs = [at[layer, number] for number in range(len(row))]
        for (a, b), (x, y) in zip(pairwise(row), pairwise(xs), strict=True):
            assert y - x >= (a + b) / 2 + 26 - 1e-6
    assert min(at[p] - widths[p.layer][p.number] / 2 for p in at) == pytest.approx(0.0)
    assert layered(NAMES[::-1], edges[::-1]) == found


# ── hostile text ──────────────────────────────────────────────────────────────────────────────────

EVIL = (
    "</title></style><script>hacked=1</script><img src=x onerror=hacked=1>"
    "\" onload='hacked=1' \u202e\x00\x1b[2J&amp;"
)


def evil_world() -> StoredWorld:
    """The toy world with markup in every text that a file can hold."""
    world, key = toy_world()
    resources = tuple(r.replace(description=EVIL) for r in world.layout.resources)
    made, key = changed(
        company=world.company.replace(name=EVIL, description=EVIL),
        graph=world.graph.replace(
            services=(
                *(s.replace(description=EVIL) for s in world.graph.services),
                Service(name=EVIL, kind=EVIL, description=EVIL),
            ),
            edges=(*world.graph.edges, Edge(source=EVIL, target="sales", reason=EVIL)),
        ),
        layout=world.layout.replace(resources=resources),
        seed=with_cell("ticket", 0, "title", EVIL),
        documents=(DOCUMENTS[0].replace(title=EVIL, body=EVIL), *DOCUMENTS[1:]),
        brief=world.brief.replace(text=EVIL),
        invariants=(VIP.replace(value=EVIL, sql=EVIL), PAUSED),
    )
    task = vip_task(made, at_stake=(EVIL,))
    task = task.replace(view=task.view.replace(instruction=EVIL, role=EVIL))
    return StoredWorld(made, key, (task,))


def test_no_text_of_a_file_becomes_markup():
    clean, evil = Reader(world_page(TOYS, None, 3)), Reader(world_page(evil_world(), None, 3))
    allowed = {tag for tag, _ in clean.elements}
    assert {tag for tag, _ in evil.elements} <= allowed
    assert "script" not in allowed and "img" not in allowed
    names = {name for _, attributes in evil.elements for name in attributes}
    assert not {name for name in names if name.startswith("on")}
    assert "<script>hacked=1</script>" in evil.text  # it is shown
    assert not [c for c in world_page(evil_world(), None, 3) if not (c.isprintable() or c == "\n")]


def test_the_page_needs_nothing_from_elsewhere():
    page = world_page(TOYS, None, 3)
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=(?!\"#)", page) and "url(http" not in page and "@import" not in page


# ── the command ───────────────────────────────────────────────────────────────────────────────────


def test_the_command_writes_one_page_and_says_where(tmp_path, capsys):
    write_world(tmp_path, *TOYS)
    out = tmp_path / "world.html"
    assert main([str(tmp_path), TOYS.world.id[:5], "--html", str(out), "--rows", "1"]) == 0
    assert capsys.readouterr().out == (
        f"{out} shows world {TOYS.world.id}, what is hidden included; open it in a browser\n"
    )
    text = out.read_text(encoding="utf-8")
    assert text == world_page(TOYS, TOYS.tasks[0], 1)
    assert "Barra Valves" in text and "Serra Hotels" not in text
    assert not list(tmp_path.glob("*.part"))


def test_a_page_that_cannot_be_written_is_one_line(tmp_path, capsys):
    write_world(tmp_path, *TOYS)
    assert main([str(tmp_path), TOYS.world.id, "--html", str(tmp_path / "no" / "x.html")]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_the_text_shows_no_control_characters(tmp_path, capsys):
    evil = evil_world()
    write_world(tmp_path, *evil)
    assert main([str(tmp_path), evil.world.id]) == 0
    assert all(c.isprintable() or c == "\n" for c in capsys.readouterr().out)


# ── in a browser ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if find_chromium() is None:
        pytest.skip("no Chromium on the path; apt-get install chromium runs these tests")
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


OPEN_ALL = "document.querySelectorAll('details').forEach(it => it.open = true)"


@pytest.mark.parametrize("width", [1280, 360])
def test_in_a_browser_nothing_runs_is_fetched_or_scrolls_aside(browser, tmp_path, dozen, width):
    for stored in (evil_world(), StoredWorld(dozen[1].world, dozen[1].key, dozen[1].tasks)):
        page = tmp_path / "world.html"
        page.write_text(world_page(stored, None, 3), encoding="utf-8")
        browser.requests.clear()
        browser.said.clear()
        browser.open(page, width=width)
        browser.value(OPEN_ALL)
        assert browser.value("typeof window.hacked") == "undefined"
        assert (browser.requests, browser.said) == ([page.resolve().as_uri()], [])
        assert browser.value("document.documentElement.scrollWidth <= innerWidth")
        boxes = browser.value(
            "[...document.querySelectorAll('svg rect')].map(it => it.getBoundingClientRect().width)"
        )
        assert len(boxes) == len(stored.world.graph.services) and min(boxes) == 156


def test_rules_are_drawn_when_they_are_asked_for(browser, tmp_path):
    page = tmp_path / "world.html"
    page.write_text(world_page(TOYS, None, 3), encoding="utf-8")
    browser.open(page, width=1280)
    shown = "getComputedStyle(document.querySelector('.crossing')).display"
    assert browser.value(shown) != "none"  # two rules hide nothing
    browser.click("#rules-drawn")
    assert browser.value(shown) == "none"
