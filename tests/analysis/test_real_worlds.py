"""From PLANET's worlds to the report: an agent with a planted fault, executed and graded for real."""

import pytest

from analysis.ledger import (
    EpisodeRow,
    Ledger,
    RunRow,
    StepRow,
    TaskRow,
    WorldRow,
    episode_rows,
    task_row,
    world_row,
)
from analysis.weakness import weakness_report
from analysis.weakness.from_ledger import probes_from_rows, probes_of_step
from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.cells import cells_of, owned
from planet.records.world import Brief
from planet.synthesize import synthesize
from planet.world.session import Session

WORLDS = 6


@pytest.fixture(scope="module")
def made():
    """Some worlds with their keys and tasks."""
    catalog, author = load_catalog(None), TemplateAuthor()
    brief = Brief(text="a retailer with billing, returns and support")
    attempts = (synthesize(brief, author, catalog, seed, tasks=10) for seed in range(40))
    return [s for s in attempts if s.world is not None][:WORLDS]


def always(task, call):
    return True


def rows_of(made, does):
    """World, task and episode rows of an agent that makes the oracle's calls for which `does(task, call)`."""
    rows = []
    for s in made:
        session = Session(s.world, s.key)
        rows.append(world_row("r", 0, s.world, origin="diagnose"))
        for number, task in enumerate(s.tasks):
            names = [*(a.id for a in task.key.assertions), *task.key.at_stake]
            owners = {name: owned(task.key, name) for name in names}
            rows.append(task_row("r", 0, task, split="diagnose", cells=cells_of(task.key), owned=owners))
            session.begin(task)
            for call in task.key.oracle:
                if does(task, call):
                    session.call(call.tool, call.arguments)
            trajectory = session.finish("done", "answer")
            name = f"{s.world.id}/{number}"
            rows += episode_rows(
                "r",
                0,
                name,
                trajectory,
                session.grade(),
                purpose="diagnose",
                variant="t1",
                tokens=1,
                policy_version=0,
            )
    return rows


def report_of(rows):
    tasks = {row.task_id: row for row in rows if isinstance(row, TaskRow)}
    worlds = {row.world_id: row for row in rows if isinstance(row, WorldRow)}
    return weakness_report(probes_from_rows(rows, tasks, worlds))


def test_the_oracle_has_no_weakness(made):
    report = report_of(rows_of(made, always))
    assert report.all_pass == 1.0
    assert {cell.failures for cell in report.cells} == {0.0}


def test_doing_nothing_fails_every_family_and_every_writing_tool_and_no_reading_tool(made):
    report = report_of(rows_of(made, lambda task, call: False))
    assert report.all_pass == 0.0 and report.unattributed == 0
    assert {cell.rate for cell in report.ranked(["family", "industry", "role"])} == {1.0}
    writing = [c for c in report.ranked(["tool"]) if c.value.startswith("update_")]
    assert min(cell.rate for cell in writing) > 0.4
    assert {c.rate for c in report.ranked(["tool"]) if not c.value.startswith("update_")} == {0.0}
    assert {mode for cell in report.cells for mode in cell.modes} == {"omitted", "invariant_broken"}


def test_a_family_that_the_agent_never_finishes_is_the_weakest(made):
    families = {task.key.facets.family for s in made for task in s.tasks}
    assert len(families) >= 5
    for family in sorted(families):
        report = report_of(rows_of(made, lambda task, call, f=family: task.key.facets.family != f))
        ranked = report.ranked(["family"])
        assert ranked[0].value == family and ranked[0].rate == 1.0
        assert {cell.failures for cell in ranked[1:]} == {0.0}


def test_a_tool_that_the_agent_never_calls_is_the_weakest(made):
    report = report_of(rows_of(made, always))
    common = max(
        (c for c in report.ranked(["tool"]) if c.value.startswith("update_")), key=lambda c: c.opportunities
    )
    planted = report_of(rows_of(made, lambda task, call: call.tool != common.value))
    first = planted.ranked(["tool"])[0]
    assert first.value == common.value and first.rate > 0.9
    assert planted.ranked(["resource"])[0].value == common.value.removeprefix("update_")


def test_rows_read_back_from_a_ledger_give_the_same_report(made, tmp_path):
    rows = rows_of(made, lambda task, call: task.key.facets.family != "two_hop")
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        run = RunRow(run_id="r", name="n", arm="a", seed=0, config_digest="0", config={})
        with ledger.transaction() as tx:
            tx.add(run, StepRow(run_id="r", step=0, kind="diagnose", iteration=0), *rows)
        ordered = sorted(rows, key=lambda row: row.episode_id if isinstance(row, EpisodeRow) else "")
        tasks = {row.task_id: row for row in ledger.rows(TaskRow, "r")}
        worlds = {row.world_id: row for row in ledger.rows(WorldRow, "r")}
        assert weakness_report(probes_of_step(ledger, "r", 0, tasks, worlds)) == report_of(ordered)


def test_a_world_row_names_the_services_that_its_slice_offers(made):
    world = made[0].world
    row = world_row("r", 0, world, origin="grown", iteration=1, brief_id="b")
    kinds = {s.name: s.kind for s in world.graph.services}
    assert set(row.offering) == {kinds[world.layout.resource(name).service] for name in world.slice}
    assert set(row.offering) <= set(row.services)
    assert len(row.tools) == 4 * len(world.slice) + 2
    assert row.rows == sum(len(rows) for rows in world.seed.rows.values())
    assert row.writers[world.slice[0]] == (f"update_{world.slice[0]}",)
