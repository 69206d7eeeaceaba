"""README and docs/ name only what exists, and the page beside the paper adds up."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml

from planet.catalog import load_catalog
from planet.validators import VALIDATORS
from policy.config import PolicyConfig

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAPER = (ROOT / "docs" / "paper_and_here.md").read_text(encoding="utf-8")
COMMAND = re.compile(
    r"python -m ((?:planet|policy|analysis|loop|tpu_scripts)(?:\.\w+)*)([^`\n|]*(?:\\\n[^`\n|]*)*)"
)
"""Module and the rest of a command line, continued lines included."""
READ_HELP = """
import contextlib, io, json, runpy, sys
told = {}
for module in sys.argv[1:]:
    heard, code = io.StringIO(), None
    sys.argv = [module, "--help"]
    with contextlib.redirect_stdout(heard):
        try:
            runpy.run_module(module, run_name="__main__")
        except SystemExit as ended:
            code = ended.code
    told[module] = [code, heard.getvalue()]
print(json.dumps(told))
"""


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose_of(page: Path) -> str:
    """A page without its code, in which brackets mean something else."""
    without = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", without)


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links: lower case, hyphens, and no punctuation."""
    body = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    found: dict[str, int] = {}
    out = set()
    for heading in re.findall(r"^#+ (.+)$", body, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        out.add(f"{name}-{found[name]}" if name in found else name)
        found[name] = found.get(name, 0) + 1
    return out


def ids(page: Path) -> str:
    return page.stem


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_relative_link_leads_to_a_file_and_to_a_heading_in_it(page: Path) -> None:
    for target in re.findall(r"\]\((?!\w+:)([^)\s]+)\)", prose_of(page)):
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), f"{page.name} links to {target}, which does not exist"
        if anchor:
            assert anchor in anchors(file), (
                f"{page.name} links to {target}; headings: {sorted(anchors(file))}"
            )


def test_anchors_are_those_of_a_reader_of_markdown(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A & B: `c_d`\n## Twice\n```\n# code\n```\n## Twice\n### [Link](x.md), too\n")
    assert anchors(page) == {"a--b-c_d", "twice", "twice-1", "link-too"}


def test_every_page_is_linked_from_the_readme() -> None:
    linked = set(re.findall(r"\]\(docs/(\w+\.md)\)", text_of(ROOT / "README.md")))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} <= linked


def commands() -> dict[str, set[str]]:
    """Module -> options that some page uses with it."""
    found: dict[str, set[str]] = {}
    for page in PAGES:
        for module, rest in COMMAND.findall(text_of(page)):
            line = re.split(r" #|&&", rest.replace("\\\n", " "))[0]
            found.setdefault(module, set()).update(re.findall(r"(?<!\S)\[?(--[a-z][a-z-]*)", line))
    return found


@cache
def helps() -> dict[str, tuple[object, str]]:
    """Module -> exit code and text of its --help, of every command that a page names."""
    told = subprocess.run(
        [sys.executable, "-c", READ_HELP, *sorted(commands())],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr[-800:]
    return {name: (code, text) for name, (code, text) in json.loads(told.stdout).items()}


def test_every_command_that_a_page_names_exists_and_helps() -> None:
    assert len(commands()) >= 20
    for module, (code, told) in helps().items():
        assert code == 0 and "usage:" in told, f"python -m {module} --help ended with {code}"


def test_every_option_that_a_page_uses_is_one_of_its_command() -> None:
    used = commands()
    assert sum(map(len, used.values())) >= 30
    for module, options in used.items():
        for option in options - {"--help"}:
            known = re.search(rf"{re.escape(option)}(?![a-z-])", helps()[module][1])
            assert known, f"a page uses python -m {module} {option}, which its --help does not name"


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_yaml_file_of_the_project_that_a_page_names_exists(page: Path) -> None:
    for name in re.findall(
        r"(?<![\w./])((?:experiments|planet|docs|tests|policy)/[\w./-]+\.ya?ml)", text_of(page)
    ):
        placeholder = re.search(r"/[A-Z_]+\.yaml$", name)  # ARM.yaml stands for any
        assert placeholder or (ROOT / name).exists(), f"{page.name} names {name}, which does not exist"


# ── what is here, and what is not ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("page", "heading"), [("docs/paper_and_here.md", "Not here yet"), ("README.md", "What it is not")]
)
def test_nothing_is_called_missing_that_has_a_page_of_its_own(page: str, heading: str) -> None:
    titles = {title.lower() for title, _ in re.findall(r"\[([\w ]+)\]\(docs/(\w+)\.md\)", text_of(PAGES[0]))}
    assert {"catalog", "corpus", "scaling", "real weights"} <= titles
    (listed,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", text_of(ROOT / page), re.M | re.S)
    plain = re.sub(r"\[[^]]*\]\([^)]*\)", "", listed).lower()  # a link leads to what there is
    assert not {title for title in titles if re.search(rf"\b{title}\b", plain)}


def test_the_readme_counts_the_arms_and_names_every_sweep() -> None:
    trees = {path.stem: yaml.safe_load(text_of(path)) for path in (ROOT / "experiments").glob("*.yaml")}
    arms = {tree["arm"] for tree in trees.values() if "arm" in tree} - {"api"}  # a learner, not an arm
    assert len(arms) == 19 and "Nineteen arms stand in `experiments/`" in text_of(ROOT / "README.md")
    sweeps = {name for name, tree in trees.items() if "arms" in tree}
    named = ("small", "full", "long", "sao", "size", "size_fresh")
    compared = {f"compare_{name}" for name in named}  # `compare_*` there
    assert sweeps == {*compared, "same_arms", "withheld_sweep"}


# ── beside the paper ──────────────────────────────────────────────────────────────────────────────


def row(start: str) -> list[str]:
    """Cells of the one row of a table that begins so."""
    (line,) = [line for line in PAPER.splitlines() if line.startswith(f"| {start} |")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_numbers_that_the_page_settles_add_up() -> None:
    assert 4_326 * 10 == 43_260 and round(43_260, -2) == 43_300 == 4_330 * 10
    assert 4_783 - 4_326 == 457 and f"{457 / 4_783:.1%}" == "9.6%"
    assert {f"{3_200 / tasks:.1%}" for tasks in (43_260, 43_300)} == {"7.4%"}
    assert {f"{25_991 / tasks:.0%}" for tasks in (43_260, 43_300)} == {"60%"}
    assert f"{2_314 / 4_326:.1%}" == "53.5%" and round(0.535 * 4_783) == 2_559
    assert (f"{8 / 14:.1%}", f"{9 / 14:.1%}", f"{1 / 14:.1%}") == ("57.1%", "64.3%", "7.1%")
    assert 210 * 4 + 2 == 842 and 210 + 12 == 222
    assert 38_670 // 10 == 3_867
    for told in ("43,260", "43,300", "457", "9.6 %", "2,314", "2,559", "57.1 %", "64.3 %", "3,867"):
        assert told in PAPER


def test_the_uniform_draw_of_the_page_is_what_its_code_computes() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAPER, re.MULTILINE | re.DOTALL)
    space: dict = {}
    exec(compile(code.partition("\n\n\nprint(")[0], "docs/paper_and_here.md", "exec"), space)
    shares = space["reached_by_chance"](4326, 3200, draws=60)
    missed = 1.0
    for task in range(10):  # an environment's ten tasks are missed one after the other: hypergeometric
        missed *= (43_260 - 3_200 - task) / (43_260 - task)
    assert f"{1 - missed:.1%}" == "53.6%" == row("4,326")[1].replace(" ", "")
    assert shares[0] == pytest.approx(1 - missed, abs=0.002)  # 60 draws with a deviation of 0.4 points each
    assert 0.527 < shares[1] < 0.532 and 0.541 < shares[2] < 0.547
    assert f"{1 - (1 - 3_200 / 47_830) ** 10:.1%}" == "50.0%"  # of 4,783 x 10
    kept = (1 - 16 / 43_260) ** 200  # a task that 200 updates of 16 all miss
    assert (f"{1 - kept:.1%}", f"{1 - kept**10:.1%}") == ("7.1%", "52.3%")


def test_what_the_page_says_of_here_is_so() -> None:
    whole, core = load_catalog(profile="library"), load_catalog()
    sizes = f"{len(whole.industries)} industries, {len(whole.countries)} countries"
    assert row("Library")[2].startswith(f"{sizes}, {len(whole.services)} kinds of service; 4,783 worlds with")
    assert row("Library")[2].endswith(
        f"made of {len(core.industries)}, {len(core.countries)} and {len(core.services)}"
    )
    counted = [
        (4 * sum(r.tools for r in resources) + 2, len(resources))
        for resources in ([r for k in catalog.services for r in k.resources] for catalog in (whole, core))
    ]
    assert row("Tools")[2] == "{} distinct, {} tables; {} and {} in compact worlds".format(*sum(counted, ()))
    assert len(VALIDATORS) == 12 and row("Validators")[2].startswith("twelve, V01 to V12")
    main = yaml.safe_load((ROOT / "experiments" / "closed_loop.yaml").read_text())
    worlds, more = main["splits"]["train"], main["growth"]["quota"]
    told = f"{worlds} worlds of ten tasks, and up to {more} more in each of {main['iterations']} iterations"
    assert row("RL environments")[2] == f"of the library 4,326, with 43,260 tasks; the main job: {told}"
    assert main["tasks_per_world"] == 10
    assert row("updates")[4] == str(main["iterations"] * main["updates_per_iteration"])
    assert row("prompts × rollouts an update")[4] == f"{main['prompts_per_update']} × 8"


def test_the_settings_of_here_are_the_defaults() -> None:
    policy = PolicyConfig()
    grpo, rollout = policy.grpo, policy.rollout
    assert row("rollouts of a prompt")[4] == str(grpo.group_size)
    assert row("ε low, high")[4] == f"{grpo.clip_low:g}, {grpo.clip_high:g}, clipped"
    assert grpo.normalisation == "group" and f"those below 0 times {grpo.negative_weight:g}" in PAPER
    optimizer = grpo.optimizer
    assert (optimizer.name, optimizer.learning_rate, optimizer.embedding_rate) == ("muon", 3e-3, 1e-4)
    moves = "Muon 3e-3, NAdam (Adam with Nesterov momentum) 1e-4 for embedding, norms and head"
    assert row("optimizer")[4] == f"{moves}, falling to a tenth" and grpo.final_rate == 0.1
    limits = f"{rollout.max_turns} turns, {rollout.context} tokens, {rollout.max_turn_tokens} a turn"
    assert row("an episode")[4] == limits
