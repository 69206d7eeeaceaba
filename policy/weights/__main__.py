"""`python -m policy.weights SOURCE`: what published weights are, and the same as a Hugging Face folder."""

from pathlib import Path

from planet.command import Parser
from policy.command import finish


def main(argv: list[str] | None = None) -> int:
    """Describe, and write with --out."""
    parser = Parser(prog="python -m policy.weights", description=__doc__)
    parser.add_argument("source", type=Path, help="a Hugging Face folder or a .gguf file")
    parser.add_argument("--out", type=Path, help="write a Hugging Face folder here; it must not exist")
    given = parser.parse_args(argv)
    return finish(parser, lambda: _told(given.source, given.out))


def _told(path: Path, out: Path | None) -> int:
    for line in _described(path):
        print(line)
    if out is not None:
        print(_written(path, out))
    return 0


def _described(path: Path) -> list[str]:
    from policy.chat.codec import ChatCodec
    from policy.layout import shapes, size
    from policy.weights.source import checked

    config = checked(path).config
    codec = ChatCodec.read(path)
    numbers = sum(map(size, shapes(config).values()))
    style = codec.style
    calls = "bare JSON" if style.bare else "JSON within <tool_call>"
    return [
        f"weights    {path}",
        f"decoder    {config.layers} layers, width {config.width}, {config.heads} heads on "
        f"{config.kv_heads}, {config.vocabulary_rows:,} rows, {numbers:,} parameters",
        f"tokenizer  {codec.tokenizer.get_vocab_size():,} tokens; a turn ends with {style.end}",
        f"template   {'knows' if style.knows_tools else 'does not know'} tools; calls are {calls}",
    ]


def _written(path: Path, out: Path) -> str:
    from policy.chat.assets import read_assets
    from policy.weights.saving import save
    from policy.weights.source import load, open_source

    config, params = load(path)
    save(out, config, params, read_assets(path).files(), beside=open_source(path).beside())
    return f"written    {out}"


if __name__ == "__main__":
    raise SystemExit(main())
