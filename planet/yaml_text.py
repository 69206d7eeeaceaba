"""YAML that may come from anyone: plain values of a bounded size, and one line for whatever is wrong."""

from collections.abc import Hashable
from typing import Any

import yaml

MOST_VALUES = 100_000
"""Values of a text, those of repeated anchors counted each time."""
DEEPEST = 50
"""Levels of lists and mappings in each other."""

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlProblem(ValueError):
    """A text is no YAML, or holds what no configuration and no catalog can hold."""

    def __init__(self, told: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(told)
        self.at = "" if line is None else f" at line {line}, column {column}"


class _Loader(_Base):  # type: ignore[misc]
    """Safe YAML in which a key may not stand twice: the second would silently win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                problem = f"key '{key.value}' stands twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)  # type: ignore[no-any-return]

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The value of a node; a date, number or tag that has none is an error with a place."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, AttributeError, TypeError, OverflowError) as error:
            what = f"{str(node.value)[:40]!r} is no value of its kind; put it in quotes"
            raise yaml.constructor.ConstructorError(None, None, what, node.start_mark) from error


def parse_yaml(text: str) -> Any:
    """The value of a YAML text; YamlProblem when it has none."""
    try:
        value = yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        told = " ".join(str(error).replace('in "<unicode string>", ', "at ").split())
        mark = getattr(error, "problem_mark", None)
        at = (mark.line + 1, mark.column + 1) if mark else (None, None)
        raise YamlProblem(told, *at) from error
    except UnicodeEncodeError as error:
        raise YamlProblem(f"character {error.start + 1} is half a character; save it as UTF-8") from error
    except RecursionError as error:
        raise YamlProblem(f"lists and mappings lie more than {DEEPEST} deep in each other") from error
    _refuse_too_much(value)
    return value


def _refuse_too_much(value: Any) -> None:
    """YamlProblem for anchors that hold themselves or multiply beyond measure, and for numbers that do."""
    waiting, seen = [(value, 1)], 0
    while waiting:
        item, depth = waiting.pop()
        seen += 1
        if depth > DEEPEST or seen > MOST_VALUES:
            raise YamlProblem(
                f"it holds more than {MOST_VALUES:,} values, or more than {DEEPEST} in each other; "
                "write less, and let no anchor hold itself"
            )
        if isinstance(item, dict):
            waiting += [(inner, depth + 1) for pair in item.items() for inner in pair]
        elif isinstance(item, list | tuple | set):
            waiting += [(inner, depth + 1) for inner in item]
        elif isinstance(item, int) and item.bit_length() > 4096:
            raise YamlProblem("it holds a whole number of thousands of digits; write a smaller one")
