"""Worlds for a report from anywhere: what its cells are understood as, what is aimed at, what is written."""

import importlib
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.weakness import Cell, WeaknessReport
from loop.errors import ConfigError, RunError
from loop.propose import main, parser
from loop.proposing.aiming import aim, placed, targeting_for
from loop.proposing.understanding import Interpreter, tell, understand_report
from loop.proposing.vocabulary import words
from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.errors import AuthorError
from planet.records.world import Brief, Target
from planet.store import read_world, world_ids

ROOT = Path(__file__).resolve().parents[2]
CATALOG = load_catalog()
READER = Interpreter(CATALOG)


def cell(name: str, failures: float, opportunities: int = 40) -> Cell:
    facet, _, value = name.partition(":")
    rate = failures / opportunities
    return Cell(
        facet=facet,
        value=value,
        opportunities=opportunities,
        failures=failures,
        tasks=10,
        worlds=10,
        rate=rate,
        posterior_mean=rate,
        wilson_low=rate / 2,
        learnability=0.1,
        modes={},
        ambiguous=0,
        change=None,
        exemplars=(),
    )


def report(*cells: Cell) -> WeaknessReport:
    return WeaknessReport(
        episodes=40,
        tasks=10,
        worlds=10,
        all_pass=0.5,
        raw_reward=0.5,
        unattributed=0,
        confidence=0.95,
        cells=cells,
    )


FOREIGN = report(
    cell("tool:exchange_delivered_order_items", 24),
    cell("tool:return_delivered_order_items", 12),
    cell("tool:cancel_pending_order", 6),
    cell("tool:calculate", 9),
    cell("tool:get_product_details", 0),
    cell("domain:retail", 20),
)
"""Of another environment: the first and the third are both about orders, the fourth is about nothing here."""


def written(path: Path, value: WeaknessReport) -> Path:
    path.write_text(json.dumps({"r0": value.model_dump(mode="json")}), encoding="utf-8")
    return path


# ── understanding ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "goal", "how"),
    [
        ("family:two_hop", "family:two_hop", "name"),
        ("family:Two-Hops", "family:two_hop", "near name"),
        ("tool:update_invoice", "tool:update_invoice", "name"),
        (
            "tool:get_invoice",
            "resource:invoice",
            "name",
        ),  # reading is practised where its resource is written
        ("table:invoices", "resource:invoice", "near name"),
        ("domain:retail", "industry:retail", "name"),
        ("topic:billing", "service:billing", "name"),
        ("tool:exchange_delivered_order_items", "resource:sales_order", "words"),
        ("tool:cancelPendingOrder", "resource:sales_order", "words"),
        ("family:refunds", "resource:refund", "near name"),
        ("operation:search", None, "reading"),
        ("operation:teleport", None, "nothing"),
        ("tool:calculate", None, "nothing"),
        ("actions:5", None, "nothing"),
        ("tool:get_all_items", None, "nothing"),  # every word of it is empty
        ("resource:", None, "nothing"),
    ],
)
def test_a_cell_is_understood_by_name_or_by_its_words(name: str, goal: str | None, how: str) -> None:
    found = READER.understand(name)
    assert (found.goal, found.how) == (goal, how)


def test_what_a_person_says_overrules_the_words() -> None:
    reader = Interpreter(CATALOG, {"tool:calculate": "resource:invoice", "domain:retail": "none"})
    assert reader.understand("tool:calculate").goal == "resource:invoice"
    assert reader.understand("domain:retail").goal is None
    with pytest.raises(
        ConfigError, match="no world can be aimed at 'resource:invoce'; did you mean 'resource:invoice'"
    ):
        Interpreter(CATALOG, {"tool:calculate": "resource:invoce"})


def test_words_are_compared_in_the_singular_whatever_the_spelling() -> None:
    assert words("listPurchaseOrders_byCategories") == ["list", "purchase", "order", "by", "category"]
    assert words("addresses glass status x2") == ["address", "glass", "status", "x"]


def test_the_weakest_of_several_cells_stands_for_their_goal_and_nothing_is_added_up() -> None:
    understood, stands_for, asked = understand_report(FOREIGN, READER, min_opportunities=8)
    assert [c.name for c in understood.cells] == [
        "resource:sales_order",
        "resource:return_request",
        "industry:retail",
    ]
    assert understood.cells[0].failures == 24  # not 24 + 6
    assert stands_for["resource:sales_order"].cell == "tool:exchange_delivered_order_items"
    assert len(asked) == 5  # the tool that never failed is not asked about


def test_what_is_not_understood_is_said() -> None:
    lines = tell(understand_report(FOREIGN, READER, min_opportunities=8)[2])
    assert lines[0] == "5 weak cells, 0 of them named as here"
    assert "  tool:calculate: not understood; say what it means with --map CELL=GOAL" in lines
    assert any(
        "exchange_delivered_order_items: understood as resource:sales_order (by order, 0." in x for x in lines
    )


def test_cells_that_were_hardly_met_are_not_asked_about() -> None:
    few = report(cell("family:two_hop", 3, 7))
    assert understand_report(few, READER, min_opportunities=8)[2] == []
    assert len(understand_report(few, READER, min_opportunities=7)[2]) == 1


# ── aiming ────────────────────────────────────────────────────────────────────────────────────────


def test_families_are_aimed_at_before_resources_and_hinted_by_them() -> None:
    both = report(cell("family:two_hop", 20), cell("resource:invoice", 10))
    targeting = targeting_for(both, 10, 8, "failure_rate", None)
    assert (targeting.facets, targeting.hints, targeting.tasks) == (("family",), ("resource",), 7)
    targeting = targeting_for(both, 10, 8, "failure_rate", "resource")
    assert (targeting.facets, targeting.hints) == (("resource",), ())


def test_a_report_without_a_goal_is_refused_with_the_remedy() -> None:
    with pytest.raises(RunError, match="no weak cell of role that was understood; lower --min-opportunities"):
        targeting_for(FOREIGN, 10, 8, "failure_rate", "role")


def test_briefs_follow_the_failure_rates_and_say_what_they_stand_for() -> None:
    understood, stands_for, _ = understand_report(FOREIGN, READER, min_opportunities=8)
    targeting = targeting_for(understood, 10, 8, "failure_rate", None)
    briefs = aim(understood, stands_for, targeting, CATALOG, 6, seed=0)
    goals = [b.target.cells[0] for b in briefs if b.target]
    # Rates 24/40 and 12/40 are 2 to 1: four of six briefs for orders, two for returns.
    assert goals.count("resource:sales_order") == 4 and goals.count("resource:return_request") == 2
    for brief in briefs:
        assert brief.target is not None and brief.resources == (brief.target.cells[0].split(":")[1],)
        assert "understood as resource:" in brief.target.reason


@pytest.mark.parametrize(
    ("goal", "field", "value"),
    [
        ("resource:invoice", "resources", ("invoice",)),
        ("tool:update_invoice", "resources", ("invoice",)),
        ("service:billing", "services", ("billing",)),
        ("pair:billing>crm", "services", ("billing", "crm")),
        ("industry:energy", "industry", "energy"),
    ],
)
def test_a_brief_names_what_its_goal_needs(goal: str, field: str, value: object) -> None:
    brief = Brief(text="x", industry="retail", country="BR", target=Target(cells=(goal,), quota=7))
    assert getattr(placed(brief, CATALOG), field) == value


# ── the command ───────────────────────────────────────────────────────────────────────────────────


class Stubborn:
    """Never has a proposal."""

    name = "stubborn"

    def propose(self, link, context):
        raise AuthorError("no")


class Interrupting(TemplateAuthor):
    """Is interrupted when it is asked for a second company."""

    companies = 0

    def propose(self, link, context):
        self.companies += link == "company"
        if self.companies > 1:
            raise KeyboardInterrupt
        return super().propose(link, context)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def proposed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two worlds for the foreign report."""
    place = tmp_path_factory.mktemp("proposed")
    arguments = [str(written(place / "r.json", FOREIGN)), "--count", "2", "--tasks", "3", "--out"]
    assert main([*arguments, str(place / "worlds")]) == 0
    return place


def test_worlds_briefs_and_summary_are_written(proposed: Path) -> None:
    folder = proposed / "worlds"
    summary = json.loads((folder / "summary.json").read_text())
    briefs = [json.loads(line) for line in (folder / "briefs.jsonl").read_text().splitlines()]
    assert {b["world_id"] for b in briefs} == set(world_ids(folder))
    assert summary["complete"] and summary["briefs"] == summary["worlds"] == 2
    assert summary["valid"] >= summary["solvable"] >= summary["worlds"]
    assert {m["cell"]: m["goal"] for m in summary["understood"]}["tool:calculate"] is None
    for brief in briefs:
        stored = read_world(folder, brief["world_id"])
        assert len(stored.tasks) == 3
        goal = brief["brief"]["target"]["cells"][0]
        assert goal.split(":")[1] in [r.name for r in stored.world.layout.resources]


def test_the_same_command_gives_the_same_bytes_and_another_seed_other_worlds(
    proposed: Path, tmp_path: Path
) -> None:
    arguments = [str(proposed / "r.json"), "--count", "2", "--tasks", "3"]
    assert main([*arguments, "--out", str(tmp_path / "again")]) == 0
    assert contents(tmp_path / "again") == contents(proposed / "worlds")
    assert main([*arguments[:2], "1", "--tasks", "3", "--seed", "1", "--out", str(tmp_path / "other")]) == 0
    assert not set(world_ids(tmp_path / "other")) & set(world_ids(proposed / "worlds"))


def test_no_jax_is_imported(proposed: Path, tmp_path: Path) -> None:
    arguments = [str(proposed / "r.json"), "--count", "1", "--tasks", "3", "--out", str(tmp_path / "w")]
    code = (
        f"import sys; from loop.propose import main; code = main({arguments!r})\n"
        "heavy = {'jax', 'jaxlib', 'flax', 'optax', 'orbax', 'mlflow', 'litellm'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "tool:calculate: not understood" in done.stdout and "planet.inspect" in done.stdout


def test_a_folder_that_holds_something_is_refused(proposed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(proposed / "worlds")
    assert main([str(proposed / "r.json"), "--count", "1", "--out", str(proposed / "worlds")]) == 2
    said = capsys.readouterr().err
    assert "is not an empty folder; name another with --out" in said and said.count("\n") == 1
    assert contents(proposed / "worlds") == before


def test_when_all_is_refused_the_books_say_by_what(
    proposed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    author = "{type: 'tests.loop.test_propose:Stubborn'}"
    arguments = [str(proposed / "r.json"), "--count", "1", "--author", author, "--out", str(tmp_path / "w")]
    assert main(arguments) == 1
    said = capsys.readouterr().out
    assert "no world in 3 tries (refused on the way: author 9)" in said  # 3 tries of 3 proposals each
    summary = json.loads((tmp_path / "w" / "summary.json").read_text())
    assert summary["refused"] == {"author": 9} and summary["worlds"] == 0 and summary["complete"]


def test_an_interrupted_command_leaves_what_it_made(
    proposed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    author = "tests.loop.test_propose:Interrupting"
    arguments = [str(proposed / "r.json"), "--count", "2", "--tasks", "3", "--author", author]
    assert main([*arguments, "--out", str(tmp_path / "w")]) == 130
    assert "stopped; the worlds made so far are in" in capsys.readouterr().err
    summary = json.loads((tmp_path / "w" / "summary.json").read_text())
    assert summary["worlds"] == 1 == len(world_ids(tmp_path / "w")) and not summary["complete"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--author", "tempalte"], "did you mean 'template'"),
        (["--author", "[1]"], "cannot be read; write template"),
        (["--map", "x"], "--map 'x' is not CELL=GOAL"),
        (["--map", "tool:calculat=none"], "no cell tool:calculat; did you mean 'tool:calculate'?"),
        (["--map", "tool:calculate=resource:invoce"], "did you mean 'resource:invoice'?"),
        (["--report-id", "r1"], "holds no report 'r1'; did you mean 'r0'?"),
        (["--catalog", "nowhere"], "nowhere"),
    ],
)
def test_wrong_use_is_one_line_and_writes_nothing(
    proposed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], words: str
) -> None:
    assert main([str(proposed / "r.json"), "--count", "1", "--out", str(tmp_path / "w"), *more]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1
    assert not (tmp_path / "w").exists()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "no report can be read"),
        ("[]", "holds no report"),
        ('{"cells": []}', "not a weakness report: episodes: Field required"),
    ],
)
def test_what_is_no_report_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, complaint: str
) -> None:
    (tmp_path / "r.json").write_text(content)
    assert main([str(tmp_path / "r.json"), "--count", "1", "--out", str(tmp_path / "w")]) == 2
    said = capsys.readouterr().err
    assert complaint in said and said.count("\n") == 1


def test_the_commands_of_the_page_run_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "own_episodes.md").read_text(encoding="utf-8")
    commands = re.findall(r"^python -m (.*)$", page.split("```")[1], re.MULTILINE)
    assert len(commands) == 3
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "data").symlink_to(ROOT / "tests" / "data")
    for command in commands:
        module, *arguments = shlex.split(command)
        found = importlib.import_module(module if module.startswith("loop.") else f"{module}.__main__")
        assert found.main(arguments) == 0, capsys.readouterr().err
    assert json.loads((tmp_path / "proposed" / "summary.json").read_text())["worlds"] == 4
    assert (tmp_path / "clusters" / "cluster_contents.csv").exists()


def test_every_option_stands_on_the_page() -> None:
    page = (ROOT / "docs" / "own_episodes.md").read_text(encoding="utf-8")
    for action in parser()._actions:
        for option in action.option_strings[-1:]:
            assert option == "--help" or f"{option}" in page, f"{option} is not on the page"
