"""Text that is no YAML, or YAML that no configuration can hold, is one line and no other error."""

import pytest

from planet.yaml_text import YamlProblem, parse_yaml


def problem(text: str) -> str:
    with pytest.raises(YamlProblem) as caught:
        parse_yaml(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_plain_values_come_through() -> None:
    assert parse_yaml("a: [1, 2.5, yes, null]\nb: {c: text}") == {
        "a": [1, 2.5, True, None],
        "b": {"c": "text"},
    }
    assert parse_yaml("") is None


@pytest.mark.parametrize("value", ["2020-13-45", "!!int x", "!!float x", "!!timestamp x", "9" * 5000])
def test_a_value_that_its_kind_does_not_have_is_named_with_its_place(value: str) -> None:
    told = problem(f"a: 1\nseed: {value}\n")
    assert "is no value of its kind; put it in quotes at line 2, column 7" in told


@pytest.mark.parametrize(
    "text",
    [
        "a: [1",
        "a: !!python/object:os.system x",
        "a: \0",
        "? [a]\n: b",
        "a: 1\n---\nb: 2\n",
        "a: \udcff",
        "a: " + "[" * 5000,
        "a: " + "[" * 60 + "]" * 60,
        "&a [*a]",
        "a: &a {b: *a}",
        "seed: 0x" + "f" * 9000,
    ],
    ids=lambda text: ascii(text)[:20],
)
def test_what_no_configuration_can_hold_is_one_line(text: str) -> None:
    assert problem(text)


def test_a_key_that_stands_twice_is_refused() -> None:
    assert "key 'seed' stands twice" in problem("seed: 1\nseed: 2\n")


def test_anchors_that_multiply_beyond_measure_are_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 12):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]")
    assert "more than 100,000 values" in problem("\n".join(lines))
