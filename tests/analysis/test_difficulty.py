"""Difficulty asked against success measured: what is asked to be harder is harder, and the table says so."""

import csv

import pytest

from analysis.compare.difficulty import ALL, Asked, Played, asked_of, hardness, lost, worded
from analysis.compare.difficulty_table import render_difficulty, write_difficulty
from analysis.intervals import difference_bootstrap, separate_difference
from analysis.ledger import BriefRow, Ledger, RunRow, StepRow, episode_rows
from analysis.run_directory import open_run
from loop.curricula.ladders.levels import harder, scale
from loop.episodes.recording import environment_rows
from loop.worlds.pool import Environment
from loop.worlds.sessions import SessionPool
from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.identity import stream
from planet.records.world import Brief, Difficulty, Target
from planet.synthesize import synthesize
from tests.analysis.simulated_run import SimulatedRun

BASE = Difficulty()
WORLDS, TASKS, ROLLOUTS = 4, 5, 12


def fallible(session, task, pages, care, rng):
    """Gets a value of a call right with probability `care` and gives up at the first wrong one.

    Of the pages that it has to search among, it takes any for the one that states the rule.
    """
    searches = any(call.tool == "search_documents" for call in task.key.oracle)
    misled = searches and rng.random() >= 1 / pages
    effect = [call for call in task.key.oracle if call.required][-1]
    for call in task.key.oracle:
        if (misled and call is effect) or not all(rng.random() < care for _ in call.arguments):
            break
        session.call(call.tool, call.arguments)
    return session.finish("done", "answer")


def made_at(level, number, family):
    """Worlds of their own for a level, each with the brief that asked for it."""
    catalog, target = load_catalog(), Target(cells=(f"family:{family}",), quota=TASKS, difficulty=level)
    brief, seeds = Brief(text="a", target=target), range(WORLDS * number, WORLDS * number + WORLDS)
    made = [synthesize(brief, TemplateAuthor(), catalog, seed, tasks=TASKS) for seed in seeds]
    return [
        (brief, Environment(m.world, m.key, tuple(m.tasks), "grown", 0, f"{number}/{place}"))
        for place, m in enumerate(made)
        if m.world is not None
    ]


def played_run(path, family, levels, care):
    """A run whose briefs asked for every level, and whose policy is the fallible one at all times."""
    made = [pair for number, level in enumerate(levels) for pair in made_at(level, number, family)]
    briefs = [
        BriefRow(
            run_id="r",
            step=0,
            brief_id=e.brief_id,
            brief=brief.model_dump(mode="json"),
            admitted_world_id=e.world.id,
            on_target=True,
        )
        for brief, e in made
    ]
    with Ledger(path / "ledger.sqlite") as ledger:
        with ledger.transaction() as tx:
            tx.add(RunRow(run_id="r", name="n", arm="scripted", seed=0, config_digest="0", config={}))
            tx.add(StepRow(run_id="r", step=0, kind="grow", iteration=0), *briefs)
            tx.add(*environment_rows("r", 0, [e for _, e in made]))
        with ledger.transaction() as tx:
            tx.add(StepRow(run_id="r", step=1, kind="update", iteration=0))
            tx.add(*(row for _, e in made for row in _episodes(e, care)))
    return open_run(path)


def _episodes(environment, care):
    sessions, rows = SessionPool(turns=20), []
    for task in environment.tasks:
        for rollout in range(ROLLOUTS):
            session = sessions.open(environment, task)
            rng = stream(0, "fallible", task.id, rollout)
            trajectory = fallible(session, task, len(environment.world.documents), care, rng)
            name, how = f"{task.id}/{rollout}", {"purpose": "train", "variant": "t1", "tokens": 1}
            rows += episode_rows("r", 1, name, trajectory, session.grade(), policy_version=0, **how)
            sessions.give_back(session)
    return rows


@pytest.mark.parametrize(
    ("family", "levels", "care"),
    [
        ("two_hop", (*scale(BASE, reads_pages=False), harder(BASE)), 0.85),  # more values to get right
        ("propagate", (*scale(BASE), harder(BASE)), 0.97),  # and more pages to choose among
    ],
)
def test_harder_is_harder_for_a_policy_that_errs_per_value_and_per_page(family, levels, care, tmp_path):
    asked = [a for a in asked_of(played_run(tmp_path, family, levels, care)) if a.cell == f"family:{family}"]
    assert [a.difficulty for a in asked] == sorted(levels, key=hardness) == list(levels)
    success = [a.training.success().mean for a in asked]
    assert success == sorted(success, reverse=True) and len(set(success)) == len(success)
    assert lost(asked[0].training, asked[-1].training).low > 0


def test_the_order_of_difficulties_is_hops_columns_distractors_and_then_the_page_named():
    easiest = Difficulty(hops=1, columns=1, distractors=0, cited=True)
    ordered = [easiest, easiest.replace(cited=False), easiest.replace(columns=2), BASE, harder(BASE)]
    assert sorted(reversed(ordered), key=hardness) == ordered
    assert hardness(None) < hardness(easiest)


def test_a_difficulty_is_told_by_its_knobs():
    assert worded(BASE) == "hops 1, distractors 2, columns 2"
    assert worded(BASE.replace(cited=True)) == "hops 1, distractors 2, columns 2, cited"


def test_only_tasks_that_require_the_cell_were_made_for_the_brief(run):
    start, made, cell = asked_of(run)
    assert (start.name, start.worlds, start.tasks) == ("starting pool", 4, 4 * 3)
    # Two grown worlds of three tasks, one of each family; the briefs aimed at family:two_hop.
    assert (made.cell, made.difficulty, made.worlds, made.tasks) == (ALL, BASE, 2, 2)
    assert (cell.cell, cell.tasks, cell.training) == ("family:two_hop", 2, made.training)
    grown = run.ledger.query(
        "SELECT COUNT(*) AS n FROM episode_outcomes WHERE purpose = 'train' AND origin = 'grown' "
        "AND family = 'two_hop'"
    )
    assert len(made.training.passed) == grown[0]["n"]
    assert made.elsewhere == Played((), (), ()) and made.elsewhere.success() is None


def test_the_table_tells_the_starting_pool_and_what_was_asked(run, tmp_path):
    text, files = write_difficulty({"loop": run}, tmp_path)
    lines = text.splitlines()
    assert len(lines) == 3 and lines[1].split()[:5] == ["loop", "all", "cells", "starting", "pool"]
    rows = list(csv.DictReader((tmp_path / "difficulty.csv").open()))
    assert [row["cell"] for row in rows] == [ALL, ALL, "family:two_hop"]
    assert [file.name for file in files] == ["difficulty.csv"]  # one difficulty makes no figure
    assert all(row["elsewhere_episodes"] == "0" and row["elsewhere_success"] == "" for row in rows)


def test_several_difficulties_are_told_against_the_easier_one_and_drawn(tmp_path):
    made = played_run(tmp_path, "update", (BASE.replace(columns=1), BASE), 0.8)
    text, files = write_difficulty({"scripted": made}, tmp_path / "out")
    lines = text.splitlines()
    assert len(lines) == 1 + 2  # one cell alone has no lines of its own
    easy, hard = asked_of(made)[:2]
    gap = 100 * (easy.training.success().mean - hard.training.success().mean)
    assert f"{gap:+.1f} [" in lines[2] and lines[1].endswith("-")
    assert [file.name for file in files] == ["difficulty.csv", "difficulty.png"]
    assert render_difficulty({}).splitlines()[1:] == []


def test_of_several_cells_those_asked_for_at_several_difficulties_have_lines_of_their_own():
    def of(cell, difficulty, passed):
        played = Played((passed,) * 4, ("a", "a", "b", "b"), (3, 3, 5, 5))
        return Asked(cell, difficulty, 2, 4, played, Played((), (), ()))

    easy = BASE.replace(columns=1)
    asked = [of(ALL, easy, 1.0), of(ALL, BASE, 0.5), of("family:repair", BASE, 0.5)]
    asked += [of("family:update", easy, 1.0), of("family:update", BASE, 0.25)]
    lines = render_difficulty({"ladders": asked}).splitlines()
    assert [line.split()[1] for line in lines[1:]] == ["all", "all", "family:update", "family:update"]
    assert lines[4].split()[-3:] == ["+75.0", "[+75.0,", "+75.0]"]  # 1 - 0.25, in both worlds
    assert "25.0% [25.0%, 25.0%]" in lines[4] and lines[4].split()[-5] == "4"  # mean of 3 and 5


def test_a_run_without_briefs_asked_for_nothing(tmp_path):
    assert asked_of(open_run(SimulatedRun(tmp_path / "none", iterations=0).write())) == []


def test_what_was_never_played_lost_nothing_that_is_known():
    played = Played((1.0, 0.0), ("a", "b"), (0, 0))
    assert lost(played, Played((), (), ())) is None
    assert lost(played, Played((0.0, 0.0), ("c", "d"), (0, 0))).mean == 0.5  # (1 + 0) / 2 - 0


def test_sides_in_different_worlds_are_resampled_apart():
    assert separate_difference([1.0, 1.0], ["a", "b"], [0.0], ["c"]) == (1.0, 1.0, 1.0)
    mixed, worlds = [1.0, 0.0, 1.0, 0.0], ["a", "b", "c", "d"]
    apart = separate_difference(mixed, worlds, mixed, worlds)
    assert difference_bootstrap(mixed, worlds, mixed, worlds)[1:] == (0.0, 0.0)
    assert apart.mean == 0.0 and apart.low < -0.2 and apart.high > 0.2
