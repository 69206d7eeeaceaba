"""The stand-in for a model does what the pages say: it authors worlds, and plays a share of the tasks."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from planet.store import write_world
from tests.planet.llm_server import Said, Status
from tests.planet.toy_tasks import toy_task, vip_task
from tests.planet.worlds import toy_world
from tests.stand_in_model import main, stand_in

ROOT = Path(__file__).resolve().parents[2]
TASK = toy_task()


def asked(task, said: int = 0) -> dict:
    """The request of an episode in which the model has spoken `said` times."""
    tools = [{"type": "function", "function": {"name": tool.name}} for tool in task.view.tools]
    messages = [{"role": "system", "content": "x"}, {"role": "user", "content": task.view.instruction}]
    return {"tools": tools, "messages": messages + [{"role": "assistant", "content": ""}] * said}


def test_a_task_is_played_by_its_plan_and_then_answered():
    line = stand_in([TASK, vip_task()])
    (call,) = TASK.key.oracle
    assert line(asked(TASK)).calls == ((call.tool, json.dumps(call.arguments)),)
    assert line(asked(TASK, said=1)) == Said("done")


def test_of_the_other_tasks_it_says_that_it_does_not_know_how():
    assert stand_in([TASK], solves=0.0)(asked(TASK)) == Said("I do not know how")
    at = int(TASK.id[:8], 16) / 16**8  # where the task stands between 0 and 1
    assert stand_in([TASK], solves=at)(asked(TASK)) == Said("I do not know how")
    assert stand_in([TASK], solves=at + 1e-6)(asked(TASK)).calls


@pytest.mark.parametrize("request_", [asked(TASK), {"messages": [{}, {"content": "what is 2 + 2?"}]}])
def test_what_it_does_not_know_is_turned_down(request_):
    answer = stand_in([])(request_)
    assert isinstance(answer, Status) and answer.code == 400


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--solves", "2"], "'2' is no share between 0 and 1"),
        (["--port", "x"], "'x' is no whole number"),
        (["--worlds", "nowhere"], "nowhere holds no worlds"),
    ],
)
def test_wrong_use_is_one_line(arguments, message, capsys):
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = ended.code
    said = capsys.readouterr().err
    assert code == 2 and message in said and said.count("\n") == 1


@pytest.mark.slow  # LiteLLM's import
def test_the_command_serves_an_evaluation(tmp_path):
    write_world(tmp_path / "worlds", *toy_world(), (TASK, vip_task()))
    command = [sys.executable, "-m", "tests.stand_in_model", "--port", "18431", "--worlds", "worlds"]
    pipes = {"cwd": tmp_path, "text": True, "stderr": subprocess.PIPE}
    env = {"PYTHONPATH": str(ROOT), "PATH": "", "OPENAI_API_KEY": "none"}
    with subprocess.Popen(command, env=env, **pipes) as model:
        try:
            assert model.stderr.readline().startswith("a stand-in for a model at http://127.0.0.1:18431/v1;")
            words = ["--model", "openai/any", "--api-base", "http://127.0.0.1:18431/v1", "--rollouts", "1"]
            evaluate = [sys.executable, "-m", "loop.evaluate", *words, "worlds"]
            done = subprocess.run(evaluate, env=env, stdout=subprocess.PIPE, check=False, **pipes)
        finally:
            model.send_signal(signal.SIGINT)
            assert model.wait(30) == 130
    assert done.returncode == 0, done.stderr
    assert "all-pass" in done.stdout and "100.0%" in done.stdout
