"""Time is counted once, whatever is nested, and compiling apart."""

import pytest

from analysis.ledger import ClockRow
from loop.reporting import stopwatch
from loop.reporting.stopwatch import Stopwatch, time_line


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now, self.compiled = 100.0, 0.0

    def perf_counter(self) -> float:
        return self.now

    def passes(self, seconds: float, compiling: float = 0.0) -> None:
        self.now += seconds
        self.compiled += compiling


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(stopwatch, "time", made)
    return made


def test_a_span_within_another_and_what_is_compiled_are_counted_once(clock: Clock) -> None:
    watch = Stopwatch(lambda: clock.compiled, began=97.0)
    with watch.span("the rest"):
        clock.passes(1.0)
        with watch.span("rollouts"):
            clock.passes(5.0, compiling=2.0)
        clock.passes(0.5, compiling=0.25)
    # 3 s of imports before, 2.25 s of compiling; 5 - 2 of rollouts; 1.5 - 0.25 outside of them
    assert watch.take() == {"imports and compilation": 5.25, "rollouts": 3.0, "the rest": 1.25}
    assert watch.take() == {}


def test_what_fails_is_counted_too(clock: Clock) -> None:
    watch = Stopwatch()
    with pytest.raises(KeyError), watch.span("worlds"):
        clock.passes(2.0)
        raise KeyError
    assert watch.take() == {"worlds": 2.0}


def test_the_line_gives_shares_of_all_steps() -> None:
    clocks = [
        ClockRow(run_id="r", step=0, seconds=30, detail={"spent": {"worlds": 30.0}}),
        ClockRow(run_id="r", step=1, seconds=90, detail={"spent": {"rollouts": 75.0, "updates": 15.0}}),
    ]
    said = "rollouts 62%, updates 12%, worlds 25%, imports and compilation 0%, the rest 0%"
    assert time_line(clocks) == f"time       2 min 0 s: {said}"
    assert time_line([ClockRow(run_id="r", step=0, seconds=30, detail={"finished": 1.0})]) is None
