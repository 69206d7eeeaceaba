"""Long work says how far it is, in a log as well."""

import pytest

from planet import progress


class Clock:
    """Seconds that pass when it is told."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


def test_a_log_gets_a_line_every_half_minute_with_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    seen = []
    for item in progress.tracked("abcdef", "validating", 6):
        seen.append(item)
        clock.now += 20
    assert seen == list("abcdef")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "validating: 2 of 6, about 80 s to go",  # 40 s for two: 20 s each, four left
        "validating: 4 of 6, about 40 s to go",
    ]


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert [*progress.tracked(range(3), "auditing", 3)] == [0, 1, 2]
    assert capsys.readouterr().err == ""
