"""A hand-written world of two services, small enough to check by eye, and ways to change one thing in it."""

from typing import Any

from planet.records.world import (
    Brief,
    Column,
    Company,
    Document,
    Edge,
    Invariant,
    Resource,
    Schema,
    SeedState,
    Service,
    ServiceGraph,
    World,
    WorldKey,
)
from planet.world.specs import layout_of

ID = Column(name="id", type="id", required=True, unique=True)

CUSTOMER = Resource(
    name="customer",
    service="sales",
    description="A company that buys from us.",
    prefix="CUS",
    label="name",
    status="status",
    columns=(
        ID,
        Column(name="name", type="text", required=True, unique=True),
        Column(name="status", type="enum", required=True, values=("active", "paused", "closed")),
        Column(name="tier", type="enum", values=("basic", "gold", "vip")),
        Column(name="credit", type="amount", unit="currency"),
        Column(name="join_date", type="date"),
    ),
)
TICKET = Resource(
    name="ticket",
    service="help_desk",
    description="A problem that a customer reported.",
    prefix="TIC",
    label="title",
    status="status",
    columns=(
        ID,
        Column(name="title", type="text", required=True),
        Column(name="status", type="enum", required=True, values=("open", "waiting", "solved")),
        Column(name="severity", type="enum", values=("minor", "major", "critical")),
        Column(name="hours", type="int"),
        Column(name="urgent", type="bool", required=True),
        Column(name="customer_id", type="ref", ref="customer", required=True),
    ),
)
ROWS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "customer": (
        ("CUS-0001", "Barra Valves", "active", "basic", 500.0, "2025-02-01"),
        ("CUS-0002", "Serra Hotels", "active", "gold", 1200.5, "2025-03-14"),
        ("CUS-0003", "Lagoa Schools", "closed", "vip", None, None),
    ),
    "ticket": (
        ("TIC-0001", "pump leaks", "open", "minor", 3, 0, "CUS-0001"),
        ("TIC-0002", "door jams", "solved", "major", 8, 1, "CUS-0002"),
        ("TIC-0003", "bill is late", "waiting", "critical", None, 0, "CUS-0003"),
    ),
}
VIP = Invariant(
    id="RULE-01",
    pattern="field_follows",
    table="customer",
    column="tier",
    value="vip",
    effect_table="ticket",
    effect_link="customer_id",
    effect_column="severity",
    effect_value="critical",
    document_id="DOC-01",
    sql=(
        'SELECT p."id" FROM "customer" p JOIN "ticket" c ON c."customer_id" = p."id" '
        "WHERE p.\"tier\" = 'vip' AND c.\"severity\" IS NOT 'critical'"
    ),
)
PAUSED = Invariant(
    id="RULE-02",
    pattern="record_required",
    table="customer",
    column="status",
    value="paused",
    effect_table="ticket",
    effect_link="customer_id",
    effect_column="status",
    effect_value="open",
    document_id="DOC-02",
    sql=(
        'SELECT p."id" FROM "customer" p WHERE p."status" = \'paused\' AND NOT EXISTS '
        '(SELECT 1 FROM "ticket" c WHERE c."customer_id" = p."id" AND c."status" = \'open\')'
    ),
)
DOCUMENTS = (
    Document(
        id="DOC-01",
        title="customer tier policy",
        body="when the tier of a customer becomes vip , set the severity of its ticket to critical .",
    ),
    Document(
        id="DOC-02",
        title="customer status policy",
        body="when the status of a customer becomes paused , help desk must hold a ticket with status open .",
    ),
    Document(id="DOC-03", title="ticket review", body="the join date of a customer is checked each week ."),
)


def toy_world() -> tuple[World, WorldKey]:
    """Two services, two tables of three rows, two rules; every validator passes."""
    world = World(
        brief=Brief(text="a manufacturer with sales and a help desk"),
        company=Company(
            name="Aroeira Pumps",
            industry="manufacturing",
            description="Makes pumps and valves for hospitals.",
            country="BR",
            currency="BRL",
            locale="pt_BR",
            time_zone="America/Sao_Paulo",
        ),
        graph=ServiceGraph(
            services=(
                Service(name="sales", kind="crm", description="Who buys from us."),
                Service(name="help_desk", kind="support", description="What customers complain about."),
            ),
            edges=(Edge(source="help_desk", target="sales", reason="ticket refers to customer"),),
        ),
        layout=layout(CUSTOMER, TICKET),
        seed=SeedState(rows=ROWS),
        documents=DOCUMENTS,
        slice=("customer", "ticket"),
    )
    return world, WorldKey(world_id=world.id, invariants=(VIP, PAUSED))


def layout(*resources: Resource) -> Schema:
    """These tables, with the tools that belong to them."""
    return layout_of(resources)


def changed(invariants: tuple[Invariant, ...] | None = None, **fields: Any) -> tuple[World, WorldKey]:
    """The toy world with some fields replaced, and the key that belongs to it."""
    world, key = toy_world()
    world = world.replace(**fields)
    return world, key.replace(
        world_id=world.id, invariants=key.invariants if invariants is None else invariants
    )


def with_column(resource: Resource, column: str, /, **fields: Any) -> Resource:
    """A table with one column changed."""
    columns = tuple(c.replace(**fields) if c.name == column else c for c in resource.columns)
    return resource.replace(columns=columns)


def with_cell(table: str, row: int, column: str, value: Any) -> SeedState:
    """The toy rows with one cell changed."""
    resource = {"customer": CUSTOMER, "ticket": TICKET}[table]
    index = [c.name for c in resource.columns].index(column)
    rows = [list(r) for r in ROWS[table]]
    rows[row][index] = value
    return SeedState(rows=ROWS | {table: tuple(map(tuple, rows))})
