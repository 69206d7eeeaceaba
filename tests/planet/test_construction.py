"""Training samples for authors: four kinds, each true when it is carried out."""

import hashlib
import json
from collections import Counter

import pytest

from planet.author.artifacts import LINKS
from planet.author.llm.reading import read_artifact
from planet.catalog import load_catalog
from planet.construct import construct
from planet.construction.__main__ import main
from planet.construction.from_traces import samples_of
from planet.construction.ground import numbered_ground
from planet.construction.intents import check_intent, intent
from planet.construction.produce import Wish, produce
from planet.construction.repairs import check_repair, repairs
from planet.construction.rows import check_row_repair, row_repair
from planet.construction.sample import KINDS
from planet.construction.scenarios import wishes
from planet.construction.whole import check_stage, check_whole, stages, whole
from planet.identity import seed_of
from planet.records.world import Brief
from planet.tasks.grow import grow_tasks
from planet.traces import write_trace
from planet.validators import VALIDATORS
from tests.fakes import ScriptedAuthor
from tests.planet.llm_replies import replying, sound
from tests.planet.llm_scripts import scripted
from tests.planet.overlays import lab, write
from tests.planet.test_llm_author import BRIEF, collapsed, repaired

WISH = Wish(seed=0, number=3, profile="compact", tasks=2, overlay=None)
SEED = seed_of(0, "construction", 3)


@pytest.fixture(scope="module")
def made(catalog):
    return numbered_ground(catalog, WISH.seed, WISH.number, WISH.profile)


@pytest.fixture(scope="module")
def produced():
    return produce(WISH)


def answer(sample, text):
    return sample.replace(messages=(*sample.messages[:-1], {"role": "assistant", "content": text}))


# ── what there is ─────────────────────────────────────────────────────────────────────────────────


def test_a_world_gives_one_whole_five_stages_twelve_repairs_and_its_intents(produced):
    assert produced.wrong == []
    assert produced.missing == {}
    kinds = Counter(sample.kind for sample in produced.samples)
    assert kinds == {"brief_to_world": 1, "stage": 5, "repair": 12, "intent_to_diff": 2}
    assert [s.link for s in produced.samples if s.kind == "stage"] == list(LINKS)
    named = sorted(s.validator for s in produced.samples if s.kind == "repair")
    assert named == [v.name for v in VALIDATORS]
    assert len({s.id for s in produced.samples}) == 20  # 1 + 5 + 12 + 2


def test_equal_wishes_give_equal_samples_and_other_numbers_other_ones(produced, catalog):
    assert produce(WISH).samples == produced.samples
    briefs = [wishes(catalog, 0, number, 0, "compact") for number in range(9)]
    assert len({brief.model_dump_json() for brief in briefs}) > 5


def test_the_brief_says_what_the_world_is(made, catalog):
    company = made.world.company
    assert company.description in made.brief.text
    assert catalog.country(company.country).name in made.brief.text
    assert (made.brief.industry, made.brief.country) == (company.industry, company.country)


def test_a_conversation_begins_with_the_system_and_ends_with_what_is_to_be_learned(produced):
    for sample in produced.samples:
        roles = [turn["role"] for turn in sample.messages]
        if sample.kind == "repair" and sample.validator != "V07":
            assert roles == ["system", "user", "assistant", "user", "assistant"]
            assert sample.messages[3]["content"].startswith(f"The checks found:\n- {sample.validator}: ")
        else:
            assert roles == ["system", "user", "assistant"]
        json.loads(sample.answer)
        assert json.loads(sample.line())["id"] == sample.id


# ── what is true of them ──────────────────────────────────────────────────────────────────────────


def test_an_author_that_errs_and_repairs_as_a_sample_says_meets_its_validator_and_is_then_admitted(
    made, catalog
):
    """Not the samples' own check: the same construction that any author goes through."""
    met = []
    for name, sample, about in repairs(made, SEED):
        wrong, right = (read_artifact(sample.link, sample.messages[at]["content"], 0) for at in (2, 4))
        script = {link: [artifact] for link, artifact in about.artifacts.items()} | {
            sample.link: [wrong, right]
        }
        done = construct(made.brief, ScriptedAuthor(script), catalog, SEED)
        assert name in done.trace.reports[0].fired
        assert done.world is not None
        assert done.world.id == about.world.id == sample.world_id
        met.append(name)
    assert len(met) == 11


def test_a_whole_or_a_stage_that_leads_elsewhere_does_not_stand_its_check(made):
    sample = whole(made)
    assert check_whole(sample, made) is None
    parts = json.loads(sample.answer)
    parts["company"]["name"] = "Other Works"
    assert check_whole(answer(sample, json.dumps(parts)), made).startswith("it makes world ")
    for stage in stages(made):
        assert check_stage(stage, made) is None
    seed = next(s for s in stages(made) if s.link == "seed")
    rows = {name: count + 1 for name, count in json.loads(seed.answer)["rows"].items()}
    assert check_stage(answer(seed, json.dumps({"rows": rows})), made).startswith("it makes world ")


def test_a_repair_that_repairs_nothing_or_quotes_what_was_not_found_does_not_stand_its_check(made):
    name, sample, about = next(found for found in repairs(made, SEED) if found[0] == "V06")
    assert check_repair(sample, about) is None
    assert check_repair(answer(sample, sample.messages[2]["content"]), about).startswith(
        "the repair makes world "
    )
    turns = list(sample.messages)
    turns[3] = {"role": "user", "content": "The checks found:\n- V06: nothing"}
    assert (
        check_repair(sample.replace(messages=tuple(turns)), about) == "V06 does not find what the sample says"
    )
    assert name == "V06"


def test_a_loose_reference_is_one_digit_off_and_another_id_does_not_mend_it(made):
    sample = row_repair(made, SEED)
    assert check_row_repair(sample, made) is None
    edit = json.loads(sample.answer)["edits"][0]
    ((column, right),) = edit["values"].items()
    question = sample.messages[1]["content"]
    assert right in question
    assert f"V07: {edit['table']}.{column} holds " in question
    loose = question.split(f"V07: {edit['table']}.{column} holds ")[1].split(",")[0]
    assert sum(a != b for a, b in zip(loose, right, strict=True)) == 1
    held = question.split("have the ids ")[1].split(".")[0].split(", ")
    edit["values"] = {column: next(key for key in held if key != right)}
    assert check_row_repair(answer(sample, json.dumps({"edits": [edit]})), made) is not None


def test_a_diff_passes_its_task_and_one_that_leaves_an_edit_out_or_adds_one_does_not(made):
    for task in grow_tasks(made.world, made.key, 6, 0).tasks:
        sample = intent(made, task)
        assert task.view.instruction in sample.messages[1]["content"]
        assert check_intent(sample, made, task) is None
        edits = json.loads(sample.answer)["edits"]
        less = answer(sample, json.dumps({"edits": edits[1:]}))
        assert "not all passes" in check_intent(less, made, task)
        table = made.world.layout.resource(made.world.slice[0])
        rows = made.world.seed.rows[table.name]
        key = next(row[0] for row in rows if row[0] not in {edit["key"] for edit in edits})
        spot = next(c.name for c in table.columns if c.type in ("int", "amount"))
        more = [*edits, {"op": "set", "table": table.name, "key": key, "values": {spot: 1}}]
        assert "not all passes" in check_intent(answer(sample, json.dumps({"edits": more})), made, task)


def test_a_request_is_shown_with_all_the_records_that_it_has_to_be_told_apart_from(catalog):
    told = Counter()
    for number in range(3):
        made = numbered_ground(catalog, 0, number, "compact")
        brief = made.world.brief.replace(families={"conditional": 1.0, "disambiguate": 1.0})
        world = made.world.replace(brief=brief)
        for task in grow_tasks(world, made.key, 4, number).tasks:
            key, shown = task.key, intent(made._replace(world=world), task).messages[1]["content"]
            held = {edit.key for edit in key.delta} | {
                a.where["id"] for a in key.assertions if "id" in a.where
            }
            for child in world.layout.resources if key.facets.family == "conditional" else ():
                if child.name in key.facets.resources:
                    owners = [
                        (c.name, m.where["id"])
                        for c in child.columns
                        for m in key.mentions
                        if c.ref == m.table
                    ]
                    names = [c.name for c in child.columns]
                    rows = [dict(zip(names, row, strict=True)) for row in world.seed.rows[child.name]]
                    moved = {edit.key for edit in key.delta}
                    held |= {
                        r["id"] for r in rows for c, key_ in owners if r[c] == key_ and r["id"] not in moved
                    }
            assert [name for name in sorted(held) if f'["{name}"' not in shown] == []
            told[key.facets.family] += 1
    assert min(told["conditional"], told["disambiguate"]) >= 3


# ── from an author's own traces ───────────────────────────────────────────────────────────────────


def test_a_models_trace_gives_its_world_its_stages_and_its_repair(catalog):
    seed, replies = next((s, r) for s in range(99) if (r := collapsed(catalog, BRIEF, s)) is not None)
    script = {link: json.dumps(value) for link, value in replies.items()}
    script = {**script, "rules": [script["rules"], repaired], "seed": ["No.", script["seed"]]}
    made = construct(BRIEF, scripted(replying(script)), catalog, seed)
    found = samples_of(made.trace, catalog)
    assert [problem for _, problem in found] == [None] * 6
    kinds = [(s.kind, s.link, s.validator) for s, _ in found]
    assert kinds == [
        ("brief_to_world", None, None), ("stage", "company", None), ("stage", "graph", None),
        ("stage", "schema", None), ("repair", "seed", "author"), ("repair", "rules", "V08"),
    ]  # fmt: skip
    assert "both belong to service" in found[-1][0].messages[3]["content"]
    assert {s.world_id for s, _ in found} == {made.world.id}


def test_a_refused_construction_gives_nothing(catalog):
    trace = construct(BRIEF, scripted(lambda request: "No."), catalog, 0).trace
    assert samples_of(trace, catalog) == []


# ── the command ───────────────────────────────────────────────────────────────────────────────────


def test_the_command_writes_four_files_whose_digests_stand_in_the_manifest(tmp_path, capsys):
    assert main(["--count", "2", "--seed", "4", "--out", str(tmp_path), "--tasks", "1"]) == 0
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        [*(f"{k}.jsonl" for k in KINDS), "manifest.json"]
    )
    for kind in KINDS:
        data = (tmp_path / f"{kind}.jsonl").read_bytes()
        assert manifest["files"][f"{kind}.jsonl"] == {
            "samples": data.count(b"\n"), "sha256": hashlib.sha256(data).hexdigest(),
        }  # fmt: skip
        for line in data.decode().splitlines():
            sample = json.loads(line)
            assert sample["kind"] == kind
            assert {"role", "content"} == set(sample["messages"][-1])
    assert manifest["files"]["stage.jsonl"]["samples"] == 10  # 2 worlds of 5 links
    assert "samples: 2 brief_to_world, 10 stage, " in capsys.readouterr().out


@pytest.mark.slow
def test_the_number_of_processes_changes_no_byte(tmp_path):
    for jobs in ("1", "2"):
        assert main(["--count", "3", "--out", str(tmp_path / jobs), "--tasks", "1", "--jobs", jobs]) == 0
    for path in (tmp_path / "1").iterdir():
        assert path.read_bytes() == (tmp_path / "2" / path.name).read_bytes()


def test_the_command_reads_the_traces_of_worlds(catalog, tmp_path, capsys):
    made = construct(BRIEF, scripted(replying(sound(catalog, BRIEF))), catalog, 0)
    write_trace(tmp_path / "worlds", "a", made.trace)
    write_trace(tmp_path / "worlds", "b", construct(BRIEF, scripted(lambda request: ""), catalog, 0).trace)
    assert main(["--traces", str(tmp_path / "worlds"), "--out", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert "6 samples: 1 brief_to_world, 5 stage, 0 repair, 0 intent_to_diff" in shown
    assert "not afforded: world 1" in shown


def test_a_trace_is_read_with_the_catalog_of_its_own_profile_and_overlay(tmp_path):
    overlay = write(tmp_path / "overlay", lab())
    for profile, name in (("compact", "a"), ("library", "b")):
        brief = Brief(text="A company.", profile=profile, **({"services": ("lab",)} if name == "a" else {}))
        own = load_catalog(overlay, profile)
        made = construct(brief, scripted(replying(sound(own, brief))), own, 0)
        assert made.world is not None
        write_trace(tmp_path / "worlds", name, made.trace)
    asked = ["--traces", str(tmp_path / "worlds"), "--overlay", str(overlay), "--out", str(tmp_path / "out")]
    assert main(asked) == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["files"]["stage.jsonl"]["samples"] == 10  # 2 worlds of 5 links
    assert manifest["catalog"] == load_catalog(overlay, "library").digest


@pytest.mark.parametrize(
    ("args", "message"),
    [
        *(
            (
                ["--traces", "x", "--out", "OUT", f"--{name}", value],
                f"--{name} is for --count: a trace says what",
            )
            for name, value in (("profile", "library"), ("seed", "0"), ("tasks", "2"), ("jobs", "2"))
        ),
        (["--out", "x"], "one of the arguments --count --traces is required"),
        (["--count", "0", "--out", "x"], "'0' is no whole number of 1 or more"),
        (["--traces", "nowhere", "--out", "OUT"], "nowhere holds no construction traces"),
        (["--count", "1", "--out", __file__], "is no folder; name another with --out"),
    ],
)
def test_wrong_use_is_one_line_and_leaves_no_file(tmp_path, capsys, args, message):
    try:
        code = main([str(tmp_path) if arg == "OUT" else arg for arg in args])
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
