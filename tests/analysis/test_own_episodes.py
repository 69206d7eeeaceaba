"""Anyone's episodes: what a line may hold, what is blamed by how much it tells, and the command."""

import csv
import importlib.resources
import json
import random
import re

import jsonschema
import pytest

from analysis.errors import DataError
from analysis.json_lines import read_lines
from analysis.weakness import WeaknessReport, weakness_report
from analysis.weakness.__main__ import main
from analysis.weakness.attribution import Blame, blame
from analysis.weakness.own.episode import OwnEpisode, schema_text
from analysis.weakness.own.from_messages import line_from_messages, says_error
from analysis.weakness.own.reading import read_episodes
from analysis.weakness.own.report import tell
from tests.analysis.own_lines import DATA, FORMS, WEAK_TOOL, line_of, retail_lines, write_lines
from tests.analysis.simulated_probes import simulate, skills

EXAMPLE = DATA / "own_episodes.jsonl"
SCHEMA = importlib.resources.files("analysis.weakness.own") / "episode.schema.json"


def probes(tmp_path, *lines, **options):
    """The probes of some lines."""
    return read_episodes(write_lines(tmp_path / "e.jsonl", lines), **options).probes


def call(tool, error=None):
    return {"tool": tool} | ({"error": error} if error else {})


def failed(*calls, **more):
    """A line of a failed episode of task t."""
    return {"task": "t", "success": False, "calls": list(calls), **more}


def passed(*calls, **more):
    return {"task": "t", "success": True, "calls": list(calls), **more}


# ── the schema ────────────────────────────────────────────────────────────────────────────────────


def test_the_shipped_schema_is_that_of_the_record():
    assert SCHEMA.read_text(encoding="utf-8") == schema_text()


def test_the_example_file_is_what_its_script_makes_and_fits_the_schema():
    lines = [json.loads(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
    assert lines == retail_lines() and len(lines) == 120  # 30 tasks of 4 rollouts
    checker = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert all(checker.is_valid(line) for line in lines)
    assert not checker.is_valid({"task": "t"}) and not checker.is_valid({"success": True})


def test_every_key_of_a_line_has_a_description():
    for record in (
        OwnEpisode,
        *(OwnEpisode.model_fields[n].annotation.__args__[0] for n in ("calls", "plan")),
    ):
        assert all(field.description for field in record.model_fields.values())


# ── lines ─────────────────────────────────────────────────────────────────────────────────────────


def test_two_keys_are_enough(tmp_path):
    (probe,) = probes(tmp_path, {"task": 17, "success": True})
    assert (probe.task_id, probe.world_id, probe.episode_id) == ("17", "17", "line-1")
    assert probe.all_pass and probe.raw_reward == 1.0 and probe.cells == ()


def test_a_reward_that_is_missing_is_the_share_of_assertions(tmp_path):
    checks = [{"name": n, "satisfied": n != "c"} for n in "abc"]
    (probe,) = probes(tmp_path, {"task": "t", "assertions": checks})
    assert not probe.all_pass and probe.raw_reward == pytest.approx(2 / 3)


def test_tags_and_tables_become_cells(tmp_path):
    line = passed(
        tags={"family": "refund", "level": 3, "night": True, "role": ["a", "b"], "none": None},
        assertions=[{"name": "A", "satisfied": True, "table": "orders", "column": "status"}],
    )
    assert probes(tmp_path, line)[0].cells == (
        "family:refund", "level:3", "night:true", "role:a", "role:b", "table:orders",
    )  # fmt: skip


def test_tools_and_arguments_may_stand_as_chat_interfaces_have_them(tmp_path):
    described = {"type": "function", "function": {"name": "pay", "parameters": {}}}
    line = failed(
        {"tool": "pay", "arguments": '{"sum": 5}'},
        tools=[described, {"name": "refund"}, "search"],
        plan=[{"tool": "pay", "arguments": {"sum": 6}}],
    )
    (probe,) = probes(tmp_path, line)
    assert probe.calls[0].arguments == {"sum": 5}
    assert blame(probe) == {"tool:pay": Blame(1.0, "wrong_value")}


def test_unknown_keys_are_ignored_counted_and_said(tmp_path):
    line = passed({"tool": "a", "latency": 3}, assertion=[], model="m")
    read = read_episodes(write_lines(tmp_path / "e.jsonl", [line, passed(model="m")]))
    assert read.ignored == {"model": 2, "assertion": 1, "calls.latency": 1}
    said = "\n".join(tell("x", read))
    assert "model (2x)" in said and "assertion (1x, did you mean assertions?)" in said


GOOD = '{"task": "t", "success": true, '
"""The start of a line that is good so far."""
BAD = {
    "{": "Expecting property name",
    "[1]": "list instead of an object; write one object per line",
    '{"success": true}': "task: Field required",
    '{"task_id": 1, "success": true}': "task: Field required; the line has 'task_id', rename it",
    '{"task": "t"}': 'neither success nor assertions; add e.g. "success": true (a reward does not say it)',
    '{"task": "", "success": true}': "task: empty; give it a name",
    '{"task": "t", "success": "yes"}': "success: Input should be a valid boolean (got 'yes')",
    GOOD + '"reward": NaN}': "reward: Input should be a finite number (got nan)",
    GOOD + '"ended": "crash"}': "ended: Input should be 'answer', 'turn_limit'",
    GOOD + '"calls": [{}]}': "calls.0.tool: Field required",
    GOOD + '"calls": [{"tool": "a", "arguments": "{"}]}': "calls.0.arguments: a text that",
    GOOD + '"calls": [{"tool": "a", "ok": true, "error": "x"}]}': "ok is true, yet error",
    GOOD + '"assertions": [{"name": "A", "satisfied": false}]}': "yet assertion 'A' is not",
    '{"task": "t", "assertions": [{"name": "A", "satisfied": true}, {"name": "A", "satisfied": true}]}': (
        "two assertions are called 'A'"
    ),
    GOOD + '"tools": ["a"], "required_tools": ["b"]}': "requires 'b', which is not in tools",
    GOOD + '"plan": [{"tool": "a"}, {"tool": "a", "arguments": {}}]}': "give all or none",
    GOOD + '"tags": {"a b": 1}}': "tags: 'a b' is no name of a facet",
    GOOD + '"tags": {"tool": "x"}}': "tags: 'tool' is no tag; name tools in plan",
    GOOD + '"tags": {"x": {"y": 1}}}': "tags: x is {'y': 1}; give a text",
    '{"task": "%s", "success": true}' % ("x" * 201): "task: 201 characters; at most 200",
    "[" * 100_000: "recursion",
    '{"task": %s, "success": true}' % ("9" * 5000): "digits",
}  # fmt: skip


@pytest.mark.parametrize(("line", "words"), BAD.items(), ids=range(len(BAD)))
def test_a_bad_line_is_named_by_number_with_the_remedy(tmp_path, line, words):
    file = tmp_path / "e.jsonl"
    file.write_text(f'{{"task": "t", "success": true}}\n\n{line}\n')
    with pytest.raises(DataError) as caught:
        read_episodes(file)
    said = str(caught.value)
    assert said.startswith(f"{file}, line 3: ") and words in said and "\n" not in said
    assert said.endswith("; correct it, or leave it out with --skip-bad") and len(said) < 400


def test_bytes_that_are_no_text_are_named(tmp_path):
    file = tmp_path / "e.jsonl"
    file.write_bytes(b'{"task": "\xff", "success": true}\n')
    with pytest.raises(DataError, match="line 1: byte 11 is no UTF-8; save the file as UTF-8"):
        read_episodes(file)


def test_a_byte_order_mark_and_odd_line_separators_inside_texts_are_read(tmp_path):
    file = tmp_path / "e.jsonl"
    file.write_bytes("\ufeff".encode() + '{"task": "a\u2028b", "success": true}\r\n'.encode())
    assert [probe.task_id for probe in read_episodes(file).probes] == ["a b"]


def test_skipped_lines_are_listed_and_nothing_else_is_lost(tmp_path):
    file = tmp_path / "e.jsonl"
    good = [json.dumps(passed(episode=str(n))) for n in range(3)]
    file.write_text("\n".join([good[0], "{", good[1], good[1], good[2]]))
    read = read_episodes(file, skip_bad=True)
    assert [probe.episode_id for probe in read.probes] == ["0", "1", "2"]
    assert [line for line, _ in read.skipped] == [2, 4]
    assert read.skipped[1][1] == "episode '1' stands on line 3 already; give every rollout its own id"


def test_a_file_without_a_good_line_is_an_error(tmp_path):
    with pytest.raises(DataError, match="holds no episode, and 1 bad lines; the first, line 1: Expecting"):
        file = tmp_path / "e.jsonl"
        file.write_text("{")
        read_episodes(file, skip_bad=True)
    with pytest.raises(DataError, match=r"cannot be read: .*; give a JSON-lines file"):
        read_episodes(tmp_path / "none")


def test_a_file_is_read_as_it_is_asked_for(tmp_path):
    file = tmp_path / "e.jsonl"
    file.write_text('{"a": 1}\n{\n')
    lines = read_lines(file)
    assert next(lines).value == {"a": 1}
    file.unlink()  # the rest is still read from the open file, not from a copy that was made at the start
    assert next(lines).problem is not None


# ── blame ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_tools_of_a_failed_assertion_are_blamed_and_others_are_not(tmp_path):
    line = {
        "task": "t",
        "calls": [call("pay"), call("send")],
        "assertions": [
            {"name": "paid", "satisfied": False, "tools": ["pay"]},
            {"name": "sent", "satisfied": True, "tools": ["send"]},
        ],
    }
    assert blame(probes(tmp_path, line)[0]) == {"tool:pay": Blame(1.0, "wrong_value")}


def test_tools_that_can_both_bring_it_about_share_the_blame(tmp_path):
    line = {"task": "t", "assertions": [{"name": "paid", "satisfied": False, "tools": ["pay", "transfer"]}]}
    assert blame(probes(tmp_path, line)[0]) == dict.fromkeys(
        ("tool:pay", "tool:transfer"), Blame(0.5, "omitted")
    )


def test_a_table_is_blamed_for_its_own_assertions_alone(tmp_path):
    checks = [{"name": t, "satisfied": t == "b", "table": t, "column": "status"} for t in "ab"]
    assert set(blame(probes(tmp_path, {"task": "t", "assertions": checks, "tags": {"role": "r"}})[0])) == {
        "role:r", "table:a",
    }  # fmt: skip


@pytest.mark.parametrize("tags", [{}, {"role": "r"}])
def test_an_assertion_without_a_table_blames_no_table(tmp_path, tags):
    checks = [{"name": "a", "satisfied": False}, {"name": "b", "satisfied": True, "table": "orders"}]
    (probe,) = probes(tmp_path, {"task": "t", "assertions": checks, "tags": tags})
    assert set(blame(probe)) == {f"{facet}:{value}" for facet, value in tags.items()}


def test_a_failure_beside_satisfied_assertions_blames_the_tags_alone(tmp_path):
    checks = [{"name": "paid", "satisfied": True, "table": "orders", "tools": ["pay"]}]
    line = failed(call("pay"), assertions=checks, tags={"role": ["a", "b"], "family": "refund"})
    found = probes(tmp_path, line)
    shares = {cell: part.share for cell, part in blame(found[0]).items()}
    assert shares == {"family:refund": 1.0, "role:a": 0.5, "role:b": 0.5}
    assert weakness_report(found).unattributed == 0


def test_the_order_of_assertions_does_not_decide_which_tools_a_task_requires(tmp_path):
    checks = [
        {"name": "a", "satisfied": True, "tools": ["pay", "transfer"]},
        {"name": "b", "satisfied": True, "tools": ["pay", "log"]},
    ]
    for order in (checks, checks[::-1]):
        (probe,) = probes(tmp_path, {"task": "t", "assertions": order})
        assert set(probe.cells) == {"tool:pay", "tool:transfer", "tool:log"}
    (probe,) = probes(tmp_path, {"task": "t", "assertions": checks, "plan": [{"tool": "pay"}]})
    assert probe.cells == ("tool:pay",)  # the plan says which of them it takes


def test_with_required_tools_those_without_a_successful_call_are_blamed(tmp_path):
    line = failed(call("pay"), call("send", "no address"), required_tools=["pay", "send", "log"])
    assert blame(probes(tmp_path, line)[0]) == {
        "tool:send": Blame(1.0, "tool_error"),
        "tool:log": Blame(1.0, "omitted"),
    }


def test_when_all_required_tools_were_used_they_share_the_blame(tmp_path):
    line = failed(call("pay"), call("send"), call("look"), required_tools=["pay", "send"])
    assert blame(probes(tmp_path, line)[0]) == dict.fromkeys(
        ("tool:pay", "tool:send"), Blame(0.5, "wrong_value")
    )


def test_a_plain_flag_blames_what_passed_episodes_of_the_task_all_used(tmp_path):
    found = probes(
        tmp_path,
        passed(call("pay"), call("send"), call("look")),
        passed(call("pay"), call("send")),
        failed(call("pay"), call("look")),
    )
    assert {cell for probe in found for cell in probe.cells} == {"tool:pay", "tool:send"}
    assert blame(found[2]) == {"tool:send": Blame(1.0, "omitted")}


def test_a_task_that_never_passed_blames_what_half_of_its_episodes_called(tmp_path):
    found = probes(tmp_path, failed(call("pay"), call("look")), failed(call("pay", "closed")))
    assert blame(found[0]) == dict.fromkeys(("tool:pay", "tool:look"), Blame(0.5, "wrong_value"))
    assert blame(found[1]) == {"tool:pay": Blame(1.0, "tool_error"), "tool:look": Blame(1.0, "omitted")}


def test_an_episode_that_was_cut_says_so(tmp_path):
    line = failed(required_tools=["pay"], ended="turn_limit")
    assert blame(probes(tmp_path, line)[0]) == {"tool:pay": Blame(1.0, "turn_limit")}


def test_a_failure_beside_satisfied_assertions_without_tags_is_nobodys(tmp_path):
    line = failed(call("pay"), assertions=[{"name": "paid", "satisfied": True, "tools": ["pay"]}])
    found = probes(tmp_path, line)
    assert blame(found[0]) == {} and weakness_report(found).unattributed == 1


def test_the_order_of_lines_does_not_matter(tmp_path):
    lines = retail_lines(tasks=8)
    for line in lines:
        line.pop("assertions")
        line["success"] = random.Random(line["episode"]).random() < 0.5
    one = weakness_report(probes(tmp_path, *lines))
    other = weakness_report(probes(tmp_path, *reversed(lines)))
    assert [(c.name, c.failures, c.modes) for c in one.cells] == [
        (c.name, c.failures, c.modes) for c in other.cells
    ]


def test_the_more_a_line_tells_the_better_the_weak_tools_are_found(tmp_path):
    # 40 tools, 5 weak (0.5 against 0.9), 60 tasks of 4 rollouts, 2 needless calls each. Mean of 20 repeats:
    # 0.94 with the tools of assertions, 0.80 with required tools, 0.52 with the flag alone (8 repeats here).
    found = {form: precision(tmp_path, form) for form in (FORMS[0], FORMS[1], FORMS[3])}
    assert found[FORMS[0]] >= 0.85 and found[FORMS[1]] >= 0.65 and found[FORMS[3]] >= 0.35
    assert found[FORMS[0]] > found[FORMS[1]] > found[FORMS[3]]


def precision(tmp_path, form, repeats=8):
    """The mean share of the five weakest tools of a report that are weak."""
    tools = [f"update_{number:02d}" for number in range(40)]
    hits = 0
    for seed in range(repeats):
        draw = random.Random(seed)
        weak = draw.sample(tools, 5)
        episodes = simulate(skills(tools, weak, 0.9, 0.5), tasks=60, rollouts=4, seed=seed)
        lines = [line_of(episode, form) for episode in episodes]
        for line in lines:
            line["calls"] += [call(tool) for tool in draw.sample(tools, 2)]
        top = weakness_report(probes(tmp_path, *lines)).ranked(["tool"])[:5]
        hits += len({cell.value for cell in top} & set(weak))
    return hits / (5 * repeats)


# ── messages ──────────────────────────────────────────────────────────────────────────────────────


def test_a_chat_becomes_a_line(tmp_path):
    messages = json.loads((DATA / "own_messages.json").read_text(encoding="utf-8"))
    line = line_from_messages(messages, task="cancel-17", success=False)
    assert line["instruction"].startswith("Please cancel my order W-17") and line["ended"] == "answer"
    assert line["calls"] == [
        {"tool": "get_order", "arguments": {"id": "W-17"}, "ok": True,
         "result": '{"id": "W-17", "status": "pending"}'},
        {"tool": "cancel_order", "arguments": {"id": "W-17"}, "error": "Error: a reason is required"},
    ]  # fmt: skip
    (probe,) = probes(tmp_path, line)
    assert blame(probe) == {"tool:cancel_order": Blame(1.0, "tool_error")}


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        ("Error: x", True),
        ("  error", True),
        ('{"error": "x"}', True),
        ('{"error": null}', False),
        ("[]", False),
        ("no errors", False),
    ],
)
def test_a_reply_is_an_error_when_it_says_so(reply, wrong):
    assert says_error(reply) is wrong


def test_unreadable_arguments_and_calls_without_reply_failed():
    calls = [
        {"id": "a", "function": {"name": "pay", "arguments": "{"}},
        {"id": "b", "function": {"name": "send", "arguments": ""}},
    ]
    parts = [{"type": "text", "text": "go"}, {"type": "image_url", "image_url": {}}]
    messages = [{"role": "user", "content": parts}, {"role": "assistant", "tool_calls": calls}]
    line = line_from_messages(messages, task="t", success=False)
    assert [c["error"] for c in line["calls"]] == ["the arguments are no JSON object", "no reply followed"]
    assert line["ended"] == "turn_limit" and line["instruction"] == "go"


def test_arguments_may_be_an_object_already():
    def called(arguments):
        calls = [{"id": "a", "function": {"name": "pay", "arguments": arguments}}]
        asked = {"role": "assistant", "tool_calls": calls}
        reply = {"role": "tool", "tool_call_id": "a", "content": "paid"}
        return line_from_messages([asked, reply], task="t", success=True)["calls"]

    (made,) = called({"id": "P-9", "lines": [1, 2]})
    assert made == {"tool": "pay", "arguments": {"id": "P-9", "lines": [1, 2]}, "ok": True, "result": "paid"}
    assert called({"id": "P-9"}) == called('{"id": "P-9"}') and called(None) == called({}) == called("")
    assert called(["P-9"])[0]["error"] == called('["P-9"]')[0]["error"] == "the arguments are no JSON object"


@pytest.mark.parametrize("call", [{"id": "a", "name": "pay"}, {"function": {"arguments": "{}"}}, "pay"])
def test_a_call_without_a_function_is_refused_with_the_number_of_its_message(call):
    messages = [{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": [call]}]
    with pytest.raises(DataError, match="message 1 has a call without a function and its name"):
        line_from_messages(messages, task="t", success=False)


def test_ids_that_come_again_answer_the_message_before_them():
    def turn(tool, reply):
        asked = {
            "role": "assistant",
            "tool_calls": [{"id": "0", "function": {"name": tool, "arguments": ""}}],
        }
        return [asked, {"role": "tool", "tool_call_id": "0", "content": reply}]

    line = line_from_messages([*turn("pay", "Error: closed"), *turn("send", "sent")], task="t", success=False)
    assert [(c["tool"], c.get("error"), c.get("result")) for c in line["calls"]] == [
        ("pay", "Error: closed", None),
        ("send", None, "sent"),
    ]


def test_a_reply_without_the_id_of_its_call_is_named():
    messages = [{"role": "user", "content": "go"}, {"role": "tool", "content": "done"}]
    with pytest.raises(
        DataError, match=r"message 1 is a tool's reply \('done'\) without tool_call_id; give it"
    ):
        line_from_messages(messages, task="t", success=False)


# ── the command ───────────────────────────────────────────────────────────────────────────────────


def test_the_command_finds_the_planted_tool_and_writes_what_it_writes_for_a_run(tmp_path, capsys):
    assert main(["--episodes", str(EXAMPLE), "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "120 episodes" in said and "tools are blamed by the tools of their assertions" in said
    stored = json.loads((tmp_path / "weakness.json").read_text())
    report = WeaknessReport.model_validate(stored["r0"])
    assert report.ranked(["tool"])[0].value == WEAK_TOOL
    rows = list(csv.DictReader((tmp_path / "weakness.csv").open()))
    assert len(rows) == len(report.cells)
    assert (tmp_path / "weakness.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "weakness.txt").read_text() in said


def test_several_files_are_compared_in_order(tmp_path, capsys):
    files = [
        str(write_lines(tmp_path / f"{n}.jsonl", [failed(tags={"role": "a"}, success=bool(n))]))
        for n in range(2)
    ]
    assert main(["--episodes", *files, "--out", str(tmp_path)]) == 0
    stored = json.loads((tmp_path / "weakness.json").read_text())
    change = [WeaknessReport.model_validate(stored[r]).cell("role:a").change for r in ("r0", "r1")]
    assert change == [None, -1.0]  # from failing 1 of 1 to 0 of 1


def test_bad_lines_end_the_command_or_are_listed(tmp_path, capsys):
    file = tmp_path / "e.jsonl"
    file.write_text(f"{json.dumps(passed(tags={'role': 'a'}))}\n{{\n")
    assert main(["--episodes", str(file), "--out", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "line 2: Expecting property name" in said and said.count("\n") == 1
    assert not (tmp_path / "weakness.json").exists()
    assert main(["--episodes", str(file), "--skip-bad", "--out", str(tmp_path)]) == 0
    assert "1 bad lines left out: line 2" in capsys.readouterr().out
    assert list(csv.reader((tmp_path / "skipped.csv").open()))[1][:2] == [str(file), "2"]


@pytest.mark.parametrize("arguments", [[], ["x", "--episodes", "y"], ["--schema", "x"], ["x", "--skip-bad"]])
def test_one_source_is_asked_for(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2 and capsys.readouterr().err.count("\n") == 1


def test_the_schema_is_printed(capsys):
    assert main(["--schema"]) == 0
    assert capsys.readouterr().out == schema_text()


# ── the page ──────────────────────────────────────────────────────────────────────────────────────

PAGE = (DATA.parents[1] / "docs" / "own_episodes.md").read_text(encoding="utf-8")


def test_the_page_has_a_row_for_every_key_of_a_line_and_for_no_other():
    table = PAGE.split("| key |")[1].split("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == set(OwnEpisode.model_fields)


def test_the_lines_of_the_page_are_read(tmp_path):
    blocks = [b for b in re.findall(r"```\n(.*?)```", PAGE, re.DOTALL) if b.startswith("{")]
    short, long = probes(tmp_path, *map(json.loads, blocks))
    assert blame(short) == {"family:refund": Blame(1.0, "omitted")}  # all that is known of it
    assert blame(long)["tool:refund_payment"] == Blame(1.0, "tool_error")


def test_the_example_of_the_page_writes_a_line(tmp_path, monkeypatch):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "data").symlink_to(DATA)
    exec(compile(block, "docs/own_episodes.md", "exec"), {})
    (probe,) = read_episodes(tmp_path / "episodes.jsonl").probes
    assert blame(probe) == {"tool:cancel_order": Blame(1.0, "tool_error")}


@pytest.mark.parametrize(
    "line", ['{"task": "t", "success": true}', '{"task": "t", "success": false, "tags": {"a": []}}']
)
def test_episodes_that_name_nothing_to_count_by_are_one_line(tmp_path, line, capsys):
    (tmp_path / "bare.jsonl").write_text(line + "\n")
    assert main(["--episodes", str(tmp_path / "bare.jsonl"), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "names anything to count weakness by; add tags" in said
    assert not (tmp_path / "out").exists()


def test_half_a_character_is_a_bad_line_and_a_whole_pair_is_none(tmp_path):
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"task": "\\ud800", "success": true}\n')
    with pytest.raises(DataError, match="line 1: a text holds half a character"):
        read_episodes(file)
    file.write_text('{"task": "\\ud83d\\ude00", "success": true}\n')
    (probe,) = read_episodes(file).probes
    assert probe.task_id == "\U0001f600"
