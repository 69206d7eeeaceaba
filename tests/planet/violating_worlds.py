"""Minimal worlds, each with one thing wrong, by the validator that must fire on it and on nothing else."""

from typing import Any

from planet.records.world import Document, Edge, Invariant, OwnKind, SeedState, Service, World, WorldKey
from tests.planet.worlds import (
    CUSTOMER,
    DOCUMENTS,
    PAUSED,
    ROWS,
    TICKET,
    VIP,
    changed,
    layout,
    toy_world,
    with_cell,
    with_column,
)

Case = tuple[World, WorldKey]


def company(**fields: str) -> Case:
    return changed(company=toy_world()[0].company.replace(**fields))


def graph(**fields: Any) -> Case:
    return changed(graph=toy_world()[0].graph.replace(**fields))


def tables(*resources: Any, **fields: Any) -> Case:
    return changed(layout=layout(*resources), **fields)


def sql(text: str) -> Case:
    return changed(invariants=(VIP.replace(sql=text), PAUSED))


def rule(**fields: str) -> Case:
    """The toy world with one field of its first rule changed, on the rule's page too."""
    changed_rule = VIP.replace(**fields)
    return changed(invariants=(changed_rule, PAUSED), documents=(page_of(changed_rule), *DOCUMENTS[1:]))


def page_of(invariant: Invariant) -> Document:
    body = f"{invariant.table} {invariant.column} {invariant.value} ; "
    body += f"{invariant.effect_table} {invariant.effect_column} {invariant.effect_value} ."
    return DOCUMENTS[0].replace(
        title=f"{invariant.table} {invariant.column} policy", body=body.replace(";", ",")
    )


def page(**fields: str) -> Case:
    return changed(documents=(DOCUMENTS[0].replace(**fields), *DOCUMENTS[1:]))


SERVICES = toy_world()[0].graph.services
TOOLS = toy_world()[0].layout.tools
EDGE = toy_world()[0].graph.edges[0]
NO_TOOLS = TICKET.replace(name="history", prefix="HIS", tools=False)
HISTORY = ROWS | {"history": tuple(("HIS" + row[0][3:], *row[1:]) for row in ROWS["ticket"])}

VIOLATIONS: dict[str, dict[str, Case]] = {
    "V01": {
        "an empty field": company(description=" "),
        "a control character": company(name="Aroeira\x1b[2J Pumps"),
        "a name of 100 000 characters": company(name="a" * 100_000),
        "a placeholder": company(name="Company Name"),
        "a bracketed placeholder": company(name="[name] Pumps"),
        "a generic name": company(name="Acme Pumps"),
        "an e-mail address": company(description="Makes pumps; write to ana@pumps.invalid."),
        "a web address": company(name="www.pumps.example"),
        "a telephone number": company(description="Makes pumps, call +55 11 5555-0100."),
        "a registration number": company(name="Pumps 12.345.678/0001-90"),
        "a token": company(description="Makes pumps under licence k3jd82hd92ks01ma."),
        "an unknown industry": company(industry="alchemy"),
        "an unknown country": company(country="QQ"),
        "a foreign currency": company(currency="EUR"),
        "a foreign locale": company(locale="de_DE"),
        "a foreign time zone": company(time_zone="Europe/Berlin"),
    },
    "V02": {
        "no service": graph(services=(), edges=()),
        "an undeclared kind": graph(services=(SERVICES[0].replace(kind="astrology"), SERVICES[1])),
        "a kind of its own that the catalog has": graph(kinds=(OwnKind(kind="crm", description="Sales."),)),
        "a kind of its own that is no name": graph(kinds=(OwnKind(kind="../x", description="Paths."),)),
        "a kind of its own without description": graph(kinds=(OwnKind(kind="astrology", description=""),)),
        "two services of one name": graph(services=(*SERVICES, SERVICES[0])),
        "an edge into nowhere": graph(edges=(EDGE, Edge(source="sales", target="moon", reason="none"))),
        "an edge onto itself": graph(edges=(EDGE, Edge(source="sales", target="sales", reason="none"))),
        "an edge without reason": graph(edges=(EDGE.replace(reason=""),)),
        "no edge": graph(edges=()),
        "an unreachable third service": graph(
            services=(*SERVICES, Service(name="stock", kind="inventory", description="Goods."))
        ),
        "a table of no service": tables(
            CUSTOMER, TICKET, NO_TOOLS.replace(service="attic"), seed=SeedState(rows=HISTORY)
        ),
    },
    "V03": {
        "a table twice": tables(CUSTOMER, TICKET, TICKET.replace(name="Ticket", prefix="HIS")),
        "a column twice, case aside": tables(
            CUSTOMER.replace(columns=(*CUSTOMER.columns, CUSTOMER.columns[4].replace(name="Credit"))), TICKET
        ),
        "a prefix twice": tables(CUSTOMER.replace(prefix="TIC"), TICKET),
        "a prefix of small letters": tables(CUSTOMER.replace(prefix="cus"), TICKET),
        "a table called documents": tables(CUSTOMER, TICKET, NO_TOOLS.replace(name="documents")),
        "a table whose get would be get_document": tables(
            CUSTOMER, TICKET, NO_TOOLS.replace(name="document")
        ),
        "a table of SQLite's own": tables(CUSTOMER, TICKET, NO_TOOLS.replace(name="sqlite_stat")),
        "no id": tables(CUSTOMER, TICKET.replace(columns=TICKET.columns[1:])),
        "id not first": tables(CUSTOMER, TICKET.replace(columns=TICKET.columns[::-1])),
        "two ids": tables(CUSTOMER, with_column(TICKET, "hours", type="id")),
        "a label that is no text": tables(CUSTOMER.replace(label="credit"), TICKET),
        "a status that is no enum": tables(CUSTOMER.replace(status="name"), TICKET),
        "a status that is no column": tables(CUSTOMER.replace(status="state"), TICKET),
        "an enum of one value": tables(CUSTOMER, with_column(TICKET, "severity", values=("critical",))),
        "an enum value twice": tables(CUSTOMER, with_column(TICKET, "severity", values=("critical",) * 2)),
        "an enum value of two words": tables(
            CUSTOMER, with_column(TICKET, "severity", values=("critical", "not bad"))
        ),
        "values of an int": tables(CUSTOMER, with_column(TICKET, "hours", values=("1", "2"))),
        "a column with a quote": tables(CUSTOMER, with_column(TICKET, "hours", name='h"; drop')),
        "a default outside the enum": tables(CUSTOMER, with_column(TICKET, "severity", default="terrible")),
        "a default of another type": tables(CUSTOMER, with_column(TICKET, "hours", default="three")),
        "a range without end": tables(CUSTOMER, with_column(TICKET, "hours", high=float("inf"))),
        "a range upside down": tables(CUSTOMER, with_column(TICKET, "hours", low=9.0, high=1.0)),
        "a unit of two lines": tables(CUSTOMER, with_column(TICKET, "hours", unit="a\nb")),
        "no description": tables(CUSTOMER, TICKET.replace(description="")),
        "more columns than SQLite takes": tables(
            CUSTOMER,
            TICKET.replace(
                columns=(*TICKET.columns, *(CUSTOMER.columns[4].replace(name=f"c{n}") for n in range(2000)))
            ),
        ),
    },
    "V04": {
        "a reference to nothing": tables(
            CUSTOMER, TICKET, with_column(NO_TOOLS, "customer_id", ref=None), seed=SeedState(rows=HISTORY)
        ),
        "an unknown table": tables(
            CUSTOMER, TICKET, with_column(NO_TOOLS, "customer_id", ref="client"), seed=SeedState(rows=HISTORY)
        ),
        "a second reference to a table": tables(
            CUSTOMER,
            TICKET.replace(
                columns=(*TICKET.columns, TICKET.columns[6].replace(name="payer_id", required=False))
            ),
            seed=SeedState(rows=ROWS | {"ticket": tuple((*row, None) for row in ROWS["ticket"])}),
        ),
        "a reference of another type": tables(CUSTOMER, with_column(TICKET, "hours", ref="customer")),
        "a required reference to itself": tables(
            CUSTOMER,
            TICKET,
            with_column(NO_TOOLS, "customer_id", ref="history"),
            seed=SeedState(rows=HISTORY),
        ),
        "a required cycle": tables(
            CUSTOMER.replace(
                columns=(*CUSTOMER.columns, TICKET.columns[6].replace(name="ticket_id", ref="ticket"))
            ),
            TICKET,
            seed=SeedState(rows=ROWS | {"customer": tuple((*row, "TIC-0001") for row in ROWS["customer"])}),
        ),
    },
    "V05": {
        "a missing tool": changed(layout=toy_world()[0].layout.replace(tools=TOOLS[1:])),
        "a missing document tool": changed(layout=toy_world()[0].layout.replace(tools=TOOLS[:-1])),
        "a tool twice": changed(layout=toy_world()[0].layout.replace(tools=(*TOOLS, TOOLS[0]))),
        "a foreign tool": changed(
            layout=toy_world()[0].layout.replace(tools=(*TOOLS, TOOLS[0].replace(name="drop_customer")))
        ),
        "a description with a control character": changed(
            layout=toy_world()[0].layout.replace(tools=(TOOLS[0].replace(description="a\x07"), *TOOLS[1:]))
        ),
        "another schema": changed(
            layout=toy_world()[0].layout.replace(tools=(TOOLS[0].replace(parameters={}), *TOOLS[1:]))
        ),
        "another service": changed(
            layout=toy_world()[0].layout.replace(tools=(TOOLS[0].replace(service="help_desk"), *TOOLS[1:]))
        ),
        "tools of a table without": changed(
            layout=layout(CUSTOMER, TICKET, NO_TOOLS.replace(tools=True)).replace(
                resources=(CUSTOMER, TICKET, NO_TOOLS)
            ),
            seed=SeedState(rows=HISTORY),
        ),
        "a slice with an unknown table": changed(slice=("customer", "ticket", "moon")),
        "a slice with a table without tools": tables(
            CUSTOMER, TICKET, NO_TOOLS, seed=SeedState(rows=HISTORY), slice=("customer", "ticket", "history")
        ),
        "a slice with a table twice": changed(slice=("customer", "ticket", "ticket")),
        "a slice of one": changed(slice=("ticket",)),
    },
    "V06": {
        "two rows": changed(invariants=(), seed=SeedState(rows=ROWS | {"ticket": ROWS["ticket"][:2]})),
        "no rows": changed(seed=SeedState(rows={"customer": ROWS["customer"]})),
        "rows of no table": changed(seed=SeedState(rows=ROWS | {"moon": ()})),
        "a row too short": changed(seed=SeedState(rows=ROWS | {"ticket": (*ROWS["ticket"], ("TIC-0004",))})),
        "a number as text": changed(seed=with_cell("ticket", 0, "hours", "three")),
        "a list as text": changed(seed=with_cell("ticket", 0, "title", ["a"])),
        "a whole number as amount": changed(seed=with_cell("customer", 0, "credit", 500)),
        "an endless amount": changed(seed=with_cell("customer", 0, "credit", float("inf"))),
        "a truth value as number": changed(seed=with_cell("ticket", 0, "hours", True)),
        "a truth value of two": changed(seed=with_cell("ticket", 0, "urgent", 2)),
        "a huge number": changed(seed=with_cell("ticket", 0, "hours", 10**30)),
        "an unknown enum value": changed(seed=with_cell("ticket", 0, "severity", "terrible")),
        "a required cell without value": changed(seed=with_cell("ticket", 0, "title", None)),
        "the thirtieth of February": changed(seed=with_cell("customer", 0, "join_date", "2025-02-30")),
        "a date and a time": changed(seed=with_cell("customer", 0, "join_date", "2025-02-03T10:00")),
        "a control character": changed(seed=with_cell("ticket", 0, "title", "pump\x00leaks")),
        "a text of 3 000 characters": changed(seed=with_cell("ticket", 0, "title", "p" * 3_000)),
        "a unique value twice": changed(seed=with_cell("customer", 0, "name", "Serra Hotels")),
        "an id twice": changed(seed=with_cell("ticket", 0, "id", "TIC-0002")),
        "an id of another table": changed(seed=with_cell("ticket", 0, "id", "CUS-0001")),
        "an id that is no id": changed(seed=with_cell("ticket", 0, "id", "first")),
    },
    "V07": {"a dangling reference": changed(seed=with_cell("ticket", 0, "customer_id", "CUS-0009"))},
    "V08": {
        "an unknown table": rule(table="moon"),
        "an unknown column": rule(column="phase"),
        "an impossible value": rule(value="gone"),
        "a number as effect": rule(effect_column="hours"),
        "a text as effect": rule(effect_column="title"),
        "a text as trigger": rule(column="name"),
        "a link that does not link": rule(effect_link="title"),
        "one service": tables(
            CUSTOMER,
            TICKET.replace(service="sales"),
            graph=toy_world()[0].graph.replace(services=SERVICES[:1], edges=()),
        ),
    },
    "V09": {
        "a write": sql('DELETE FROM "customer"'),
        "a write behind a WITH": sql("WITH x AS (SELECT 1) DELETE FROM customer"),
        "two statements": sql(VIP.sql + "; SELECT 1"),
        "a comment": sql(VIP.sql + " -- customer"),
        "a pragma": sql("PRAGMA table_list"),
        "an attached file": sql("ATTACH 'x' AS y"),
        "no SQL": sql("customers that are vip"),
        "the empty text": sql(""),
        "a null character": sql("SELECT\x00"),
        "an unknown column": sql(VIP.sql.replace('p."tier"', 'p."phase"')),
        "an unknown column, unquoted": sql(VIP.sql.replace('p."tier"', "p.phase")),
        "a name taken for text": sql(VIP.sql.replace('p."tier"', '"phase"')),
        "a table of SQLite's own": sql('SELECT sqlite_master.name FROM sqlite_master, "customer", "ticket"'),
        "the documents": sql('SELECT "customer"."id" FROM "customer", "ticket", documents'),
        "the row number": sql('SELECT c.rowid FROM "customer" c'),
        "a function outside the list": sql(VIP.sql + " AND hex(c.title) = ''"),
        "chance": sql(VIP.sql + " AND random() > 0"),
        "the clock": sql(VIP.sql + " AND current_date > '2030-01-01'"),
        "an extension": sql(VIP.sql + " AND load_extension('x') = ''"),
        "recursion": sql(
            "SELECT n FROM (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT n FROM r)"
        ),
        "a table made of a select": sql('SELECT c.id FROM (SELECT id || id AS id FROM "customer") c'),
        "a joined table made of a select": sql(
            'SELECT c.id FROM "customer" c JOIN (SELECT id || id AS x FROM "ticket") t ON t.x = c.id'
        ),
        "a select with a name of its own": sql(
            'SELECT "id" FROM "customer" WHERE EXISTS (WITH c AS (SELECT 1) SELECT 1 FROM c)'
        ),
        "too many steps": sql(
            "SELECT count(*) FROM " + ", ".join(f'"customer" c{n}, "ticket" t{n}' for n in range(9))
        ),
        "another rule's check": sql(PAUSED.sql),
        "a sum too deep for a session": sql(VIP.sql + " AND 0 = " + "+".join("0" * 150)),
    },
    "V10": {
        "a seed that violates": changed(seed=with_cell("ticket", 2, "severity", "minor")),
        "a check that never reads the effect": sql('SELECT "id" FROM "customer" WHERE "tier" = \'none\''),
        "a check that never fires": sql(VIP.sql.replace("'vip'", "'none'")),
        "a check on another value": sql(VIP.sql.replace("'critical'", "'major'").replace("'vip'", "'gold'")),
        "a check that cannot be obeyed": sql(
            VIP.sql.replace(" AND c.\"severity\" IS NOT 'critical'", " AND p.status <> 'closed'")
        ),
    },
    "V11": {
        "no page": changed(documents=DOCUMENTS[1:]),
        "a page nobody finds": page(title="policy", body="when vip , ticket severity must be critical ."),
        "a page hidden by better ones": changed(
            documents=(
                DOCUMENTS[0].replace(title="policy", body=DOCUMENTS[0].body.replace("customer", "clients")),
                *(
                    DOCUMENTS[1].replace(id=f"DOC-0{n}", body="customer tier " + DOCUMENTS[1].body)
                    for n in range(2, 9)
                ),
            )
        ),
        "a page without the value": page(body=DOCUMENTS[0].body.replace("vip", "important")),
        "a page without the effect": page(body=DOCUMENTS[0].body.replace("critical", "minor")),
        "41 words": page(body=DOCUMENTS[0].body + " more" * 25),  # 16 + 25
        "SQL": page(body=DOCUMENTS[0].body + " select id ."),
        "the name of the rule": page(body=DOCUMENTS[0].body + " see rule-01 ."),
        "the id of a record": page(body=DOCUMENTS[0].body + " CUS-0003 is one ."),
        "a page of two lines": page(body=DOCUMENTS[0].body + "\nmore"),
        "an id twice": changed(documents=(*DOCUMENTS, DOCUMENTS[2])),
        "a distractor that tells": changed(
            documents=(*DOCUMENTS[:2], DOCUMENTS[2].replace(body="RULE-02 is checked each week ."))
        ),
    },
    "V12": {
        "a default that one record uses up": tables(
            with_column(CUSTOMER, "name", default="New Customer"), TICKET
        ),
        "a default that refers to nothing": tables(
            CUSTOMER, with_column(TICKET, "customer_id", default="CUS-0009")
        ),
        "a key for another world": (toy_world()[0], toy_world()[1].replace(world_id="0123456789abcdef")),
    },
}
