"""A reader types the tutorial: every command of docs/tutorial.md is run, with micro settings.

The reader works in a folder of its own, with a copy of `experiments/` in which four files are smaller (see
`_smaller`), so that the commands are typed as they stand. Two things differ: `.venv/bin/python -m` is called
in this process, and the address of the model is that of a scripted server. What cannot be run here stands in
`NOT_RUN`, with what is checked instead.
"""

import importlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from analysis.ledger import AuthorCallRow, MetricRow, StepRow, UpdateRow, WorldRow
from analysis.run_directory import OpenRun, open_run
from loop.loading import load
from loop.reporting.closing import mlflow_command
from planet.catalog import load_catalog
from planet.store import read_world, world_ids
from tests.planet.llm_replies import drawing
from tests.planet.llm_server import Server, serving

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
PYTHON = ".venv/bin/python -m "
MODEL_ADDRESS = "http://localhost:8000/v1"
NOT_RUN = {
    "git clone REPOSITORY closed-loop-curricula": "the checkout is there",
    "cd closed-loop-curricula": "the reader's folder stands for it",
    "make run": "takes minutes: what make would do is read",
    "make .venv": "the environment is there: make is asked what it would do",
    "MLFLOW_DISABLE_TELEMETRY=true .venv/bin/mlflow ui "
    "--backend-store-uri sqlite:///runs/mlflow.db": "serves until stopped: it is the "
    "command that a run ends with",
    ".venv/bin/python -m tests.stand_in_model --port 8000": "serves until stopped: a server in this process "
    "says the same, and a test of its own starts the command",
    "VIRTUAL_ENV=.venv .venv/bin/uv pip install -c constraints.txt -e '.[cluster]'": "needs a network: the "
    "extra and the pins exist",
}
"""Command -> why it is not run."""

pytestmark = pytest.mark.slow  # half a minute, of which LiteLLM's import is the half


@dataclass(frozen=True)
class Block:
    """A fenced block of the page."""

    section: str
    language: str
    text: str


def blocks() -> list[Block]:
    """All blocks of the page, in order."""
    found, section = [], ""
    for match in re.finditer(r"^## ([^\n]+)$|^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        if match[1]:
            section = match[1]
        else:
            found.append(Block(section, match[2], match[3]))
    return found


def commands(text: str) -> list[str]:
    """The commands of a shell block, continued lines joined."""
    return [line.strip() for line in re.sub(r"\\\n\s*", "", text).splitlines() if line.strip()]


@dataclass
class Reader:
    """Reads section by section: saves the files, runs the code, types the commands."""

    place: Path
    server: Server
    said: dict[str, str] = field(default_factory=dict)  # section -> all that its commands printed

    def read_to(self, section: str) -> str:
        """What the section's commands said; the sections before it are read first, each once."""
        for title in dict.fromkeys(block.section for block in blocks()):
            if title not in self.said:
                self.said[title] = ""
                with chdir(self.place):
                    for block in blocks():
                        if block.section == title:
                            self._follow(block)
            if title == section:
                return self.said[title]
        raise AssertionError(f"the tutorial has no section {section!r}")

    def _follow(self, block: Block) -> None:
        name = re.match(r"# (\S+\.(?:py|yaml|txt))\n", block.text)
        if name:
            Path(name[1]).parent.mkdir(parents=True, exist_ok=True)
            text = block.text.replace(MODEL_ADDRESS, self.server.address)
            Path(name[1]).write_text(text, encoding="utf-8")
        elif block.language == "python":
            with self._listening(block):
                exec(compile(block.text, "docs/tutorial.md", "exec"), {})
        elif block.language == "bash":
            for command in commands(block.text):
                if command not in NOT_RUN:
                    with self._listening(block):
                        self._type(command)

    def _type(self, command: str) -> None:
        exported = re.fullmatch(r"export (\w+)=(\S*)", command)
        if exported:
            os.environ[exported[1]] = exported[2]
            return
        assert command.startswith(PYTHON), f"nobody can say what {command!r} does here"
        module, *arguments = shlex.split(command.removeprefix(PYTHON), comments=True)
        try:
            code = _main(module)([word.replace(MODEL_ADDRESS, self.server.address) for word in arguments])
        except SystemExit as ended:
            code = ended.code
        assert not code, f"{command!r} ended with {code}"

    def _listening(self, block: Block) -> "_Listening":
        return _Listening(self.said, block.section)


class _Listening:
    """Adds what is printed to what a section said."""

    def __init__(self, said: dict[str, str], section: str) -> None:
        self._said, self._section, self._heard = said, section, io.StringIO()

    def __enter__(self) -> None:
        self._streams = redirect_stdout(self._heard), redirect_stderr(self._heard)
        for stream in self._streams:
            stream.__enter__()

    def __exit__(self, *raised: object) -> None:
        for stream in self._streams:
            stream.__exit__(None, None, None)
        self._said[self._section] += self._heard.getvalue()
        if any(raised):
            print(self._heard.getvalue())


def _main(module: str):
    package = importlib.import_module(module)
    return (importlib.import_module(f"{module}.__main__") if hasattr(package, "__path__") else package).main


def _smaller(experiments: Path) -> None:
    """The documented substitution: the main job becomes the micro one, played by a scripted policy."""
    micro = yaml.safe_load((experiments / "micro.yaml").read_text())
    main = {**micro, "name": "closed_loop", "experiment": "main", "learner": "tests.loop.fakes:NoisyOracle"}
    (experiments / "closed_loop.yaml").write_text(yaml.safe_dump(main))
    (experiments / "smoke.yaml").write_text("extends: closed_loop.yaml\nname: smoke\nexperiment: smoke\n")
    for sweep in ("compare_small.yaml", "compare_full.yaml"):
        tree = yaml.safe_load((experiments / sweep).read_text())
        tree["budget"] = {"updates": main["updates_per_iteration"]}
        if sweep == "compare_small.yaml":
            tree |= {"seeds": [10], "arms": tree["arms"][:2], "contrasts": tree["contrasts"][:1]}
        (experiments / sweep).write_text(yaml.safe_dump(tree))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    place = tmp_path_factory.mktemp("reader")
    shutil.copytree(ROOT / "experiments", place / "experiments", ignore=shutil.ignore_patterns("results"))
    _smaller(place / "experiments")
    (place / "tests").symlink_to(ROOT / "tests")
    with pytest.MonkeyPatch.context() as changed, serving("I cannot.", drawing(load_catalog())) as server:
        changed.syspath_prepend(place)
        changed.setenv("PYTHONPATH", str(ROOT))
        changed.setenv("MY_MODEL_KEY", "")  # so that it is gone afterwards, whatever the page exports
        yield Reader(place, server)
    sys.modules.pop("stubborn", None)


# ── the page ──────────────────────────────────────────────────────────────────────────────────────


def test_every_command_stands_in_a_block_and_is_run_or_has_a_reason() -> None:
    typed = [c for block in blocks() if block.language == "bash" for c in commands(block.text)]
    run = [c for c in typed if c not in NOT_RUN]
    assert len(run) >= 20 and set(NOT_RUN) <= set(typed)
    assert all(c.startswith((PYTHON, "export ")) for c in run)
    prose = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert "python -m" not in prose and prose.count("make run") == 1


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_what_make_would_do_is_what_the_page_says() -> None:
    def planned(target: str) -> str:
        command = ["make", "--dry-run", "--directory", str(ROOT), target]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    again = ".venv/bin/python -m loop.run experiments/closed_loop.yaml --resume-if-unfinished"
    assert again in planned("run") and "loop.run" not in planned(".venv")


def test_mlflow_is_looked_at_with_the_command_that_a_run_ends_with() -> None:
    shipped = load(ROOT / "experiments" / "smoke.yaml").tracking.mlflow
    assert mlflow_command(shipped).replace("mlflow ui", ".venv/bin/mlflow ui") in NOT_RUN


def test_the_extras_and_pins_of_the_page_exist() -> None:
    extras = re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"cluster", "cuda", "tpu"} <= set(extras)
    assert (ROOT / "constraints.txt").exists()


# ── the sections ──────────────────────────────────────────────────────────────────────────────────


def test_a_first_run_ends_with_the_sentence_that_the_page_explains(reader: Reader) -> None:
    said = reader.read_to("A first run")
    (sample,) = [block.text.strip() for block in blocks() if block.language == "text"]
    assert _shape(sample) in {_shape(line) for line in said.splitlines()}, said
    assert (reader.place / "runs" / "first" / "finished").exists()


def test_the_page_of_the_run_its_weak_cells_and_its_ledger_can_be_read(reader: Reader) -> None:
    said = reader.read_to("Looking at it")
    assert (
        (reader.place / "runs" / "first" / "report.html").read_text(encoding="utf-8").startswith("<!doctype")
    )
    assert "family:" in said
    assert re.search(r"^\w+ +mean reward \d\.\d\d in \d+ episodes$", said, re.MULTILINE)
    assert "a plan that solves it:" in said and "verdict: failed" in said


def test_a_changed_key_changes_the_run_and_nothing_before_it(reader: Reader) -> None:
    said = reader.read_to("Changing a key")
    assert "updates" in said and "tasks_per_world: 8" in said  # the tree, and what it costs
    first, aimed = (open_run(reader.place / "runs" / name) for name in ("first", "aimed"))
    aims = [run.ledger.rows(StepRow, run.id, kind="grow")[0].detail["aimed_briefs"] for run in (first, aimed)]
    assert [len(briefs) for briefs in aims] == [2, 4]  # 0.7 of 3 as in micro.yaml, and all of 4 as typed
    assert _worlds(first, "train", "test", "diagnose") == _worlds(aimed, "train", "test", "diagnose")
    assert (reader.place / "runs" / "first_and_aimed").is_dir()


def test_the_own_sampler_is_told_of_every_group_and_weighs_by_it(reader: Reader) -> None:
    reader.read_to("An own curriculum")
    run = open_run(reader.place / "runs" / "stubborn")
    assert run.run.arm == "stubborn"
    failed = [row.value for row in run.ledger.rows(MetricRow, run.id, name="stubborn/tasks_failed")]
    assert len(failed) == len(run.ledger.rows(UpdateRow, run.id)) and failed[-1] >= 1
    from stubborn import Stubborn  # type: ignore[import-not-found]

    made = Stubborn(patience=2.0)
    made.load_state_dict({"b": 3})
    assert made.weights([_Named("a"), _Named("b")]) == [1.0, 7.0]  # 1 + 2 x 3


@dataclass(frozen=True)
class _Named:
    id: str


def test_worlds_of_an_own_catalog_hold_its_service_and_pass(reader: Reader) -> None:
    said = reader.read_to("Own worlds")
    assert 'bikes (from "bike rental")' in said
    folder = reader.place / "own_worlds"
    worlds = [read_world(folder, name).world for name in world_ids(folder)]
    assert len(worlds) == 2
    assert all("bikes" in {service.kind for service in world.graph.services} for world in worlds)
    assert any("update_bike_loan" in {tool.name for tool in world.layout.tools} for world in worlds)
    config = load(reader.place / "experiments" / "smoke.yaml", (f"catalog={reader.place}/my_catalog",))
    assert "cycling" in {industry.name for industry in load_catalog(config.catalog).industries}
    assert (reader.place / "runs" / "own_catalog" / "finished").exists()


def test_a_language_model_designs_worlds_over_the_wire(reader: Reader) -> None:
    said = reader.read_to("An own LLM author")
    assert {headers["authorization"] for headers in reader.server.headers} == {"Bearer no-key-needed-here"}
    assert len(world_ids(reader.place / "llm_worlds")) == 2
    assert re.search(r"^company  try 1, 120 tokens: .*no JSON object.*I cannot", said, re.MULTILINE)
    assert re.search(r"^company  try 2, 120 tokens: used$", said, re.MULTILINE)
    assert said.count(": used\n") == 10  # two worlds of five links
    samples = {
        kind: (reader.place / "llm_samples" / f"{kind}.jsonl").read_text(encoding="utf-8").count("\n")
        for kind in ("stage", "repair")
    }
    assert samples == {"stage": 9, "repair": 1}  # ten links, one of them right at the second try


def test_no_request_is_put_to_the_model_twice(reader: Reader) -> None:
    reader.read_to("An own LLM author")
    asked = [json.dumps(request, sort_keys=True) for request in reader.server.requests]
    assert len({*asked}) == len(asked) >= 11  # the worlds of the first command: five links each, one repaired


def test_two_authors_are_told_apart_on_the_same_briefs(reader: Reader) -> None:
    said = reader.read_to("An own LLM author")
    found = json.loads((reader.place / "llm_eval" / "author_eval.json").read_text(encoding="utf-8"))
    assert [(e["author"], e["mode"]) for e in found["evaluations"]] == [
        ("openai/my-model", "bare"),
        ("openai/my-model", "recipe"),
    ]
    assert [len(e["outcomes"]) for e in found["evaluations"]] == [2, 2]
    cost = found["evaluations"][0]["outcomes"][0]["cost"]
    assert cost["dollars"] == pytest.approx(cost["calls"] * (100 * 0.5 + 20 * 1.5) / 1e6)  # 100 in, 20 out
    assert said.count("McNemar") >= 2


def test_every_world_of_an_authored_run_is_the_models(reader: Reader) -> None:
    said = reader.read_to("An own LLM author")
    assert re.search(r"about [\d,]+ model calls", said)
    run = open_run(reader.place / "runs" / "authored")
    calls = run.ledger.rows(AuthorCallRow, run.id)
    assert {row.author for row in calls} == {"openai/my-model"}
    assert sum(row.tokens_in for row in calls) == 100 * len(calls)
    assert (reader.place / "runs" / "authored" / "finished").exists()


def test_own_episodes_lead_to_audited_worlds(reader: Reader) -> None:
    reader.read_to("Own episodes")
    assert (reader.place / "own_weakness" / "weakness.json").exists()
    assert (reader.place / "proposed" / "briefs.jsonl").read_text().count("\n") == 2
    assert 1 <= len(world_ids(reader.place / "proposed")) <= 2


def test_a_sweep_ends_with_its_verdict(reader: Reader) -> None:
    said = reader.read_to("A sweep and its verdict")
    assert "Case study of 1 seed: after equal updates closed_loop ends" in said
    results = reader.place / "experiments" / "results" / "compare_small"
    assert all((results / f"{arm}-s10.json").exists() for arm in ("closed_loop", "random_worlds"))
    assert (results / "contrasts" / "findings.md").exists()


def test_the_bigger_machine_is_told_what_it_would_do(reader: Reader) -> None:
    said = reader.read_to("On a bigger machine")
    assert "slots: 256" in said
    assert re.search(r"^runs +84 of 14 arms at 10 seeds$", said, re.MULTILINE)  # 6 x 10 + 8 x 3


def _worlds(run: OpenRun, *splits: str) -> set[str]:
    return {row.world_id for row in run.ledger.rows(WorldRow, run.id) if row.origin in splits}


def _shape(line: str) -> str:
    """A line without its numbers, whichever way they moved."""
    moved = re.sub(r"rose|fell|did not change beyond its interval", "moved", line)
    return re.sub(r"[-+]?\d+(\.\d+)?", "0", moved)
