"""Texts that name records apart."""

from collections import Counter


def distinct(texts: list[str]) -> list[str]:
    """The texts with their repetitions numbered, past the numbers that a text of the list has already."""
    taken = set(texts)
    if len(taken) == len(texts):
        return texts
    seen: Counter[str] = Counter()
    out = []
    for text in texts:
        seen[text] += 1
        named = text
        if seen[text] > 1:
            while (named := f"{text} {seen[text]}") in taken:
                seen[text] += 1
            taken.add(named)
        out.append(named)
    return out
