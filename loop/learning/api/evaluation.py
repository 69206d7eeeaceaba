"""Evaluating a model behind an interface: as many of the wanted episodes as its budget and endpoint allow."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from loop.episodes.playing import Played, Wanted, graded, request_for
from loop.learning.api.player import Player, Unplayed
from loop.reporting.progress import span
from loop.worlds.pool import Environment
from loop.worlds.sessions import SessionPool
from planet.author.artifacts import AuthorCost
from planet.tasks.grow import TURNS

NOTHING = AuthorCost()
EVERY = 10.0
"""Seconds between two lines of progress at least."""


@dataclass
class Evaluated:
    """What came of the wanted episodes. Mutable: it is filled while they are played."""

    wanted: int
    played: dict[int, Played] = field(default_factory=dict)  # place among the wanted -> episode
    unplayed: int = 0
    reason: str = ""  # why the first of these was not played
    stopped: bool = False  # the user asked for the end
    cost: AuthorCost = NOTHING  # of the played episodes, kept answers at what they once cost
    unreadable: int = 0  # messages
    refused: int = 0  # episodes
    turned_down: int = 0  # episodes
    declined: str = ""  # why the endpoint turned the first of these down

    @property
    def episodes(self) -> list[Played]:
        """The played ones, in the order wanted."""
        return [self.played[place] for place in sorted(self.played)]

    @property
    def whole(self) -> bool:
        """Whether everything wanted was played."""
        return len(self.played) == self.wanted


def turns_of(environments: Sequence[Environment]) -> int:
    """Calls that an episode may make, as the audit of these worlds' tasks allowed."""
    return max(TURNS[e.world.brief.profile] for e in environments)


def evaluate(
    player: Player, wanted: Sequence[Wanted], sessions: SessionPool, temperature: float | None
) -> Evaluated:
    """Play and grade; Ctrl-C ends it with what was done. GraderError when a grade cannot be had."""
    found = Evaluated(len(wanted))
    requests = [request_for(w, sessions) for w in wanted]
    tell = _teller(player, found)
    try:
        for place, outcome in player.play(requests, temperature):
            if isinstance(outcome, Unplayed):
                sessions.give_back(outcome.session)
                found.unplayed += 1
                found.reason = found.reason or outcome.reason
                continue
            found.played[place] = graded(wanted[place], outcome, sessions, version=0)
            found.cost += outcome.cost
            found.unreadable += outcome.unreadable
            found.refused += outcome.refused
            found.turned_down += outcome.turned_down is not None
            found.declined = found.declined or outcome.turned_down or ""
            tell()
    except KeyboardInterrupt:
        found.stopped = True
    return found


def _teller(player: Player, found: Evaluated) -> Callable[[], None]:
    """Prints how far it is, to the error stream, now and then; the first episode also waited for imports."""
    first: list[tuple[float, int]] = []  # when an episode first ended, and how many had
    last = time.monotonic()

    def tell() -> None:
        nonlocal last
        now, done = time.monotonic(), len(found.played) + found.unplayed
        if not first:
            first.append((now, done))
        if now - last < EVERY or done == first[0][1]:
            return
        last = now
        left = span((now - first[0][0]) / (done - first[0][1]) * (found.wanted - done))
        spent = player.budget.spent
        line = f"{done} of {found.wanted} episodes, {spent.tokens:,} tokens, {spent.dollars:.2f} dollars"
        print(f"{line} charged, about {left} left", file=sys.stderr, flush=True)

    return tell


def tell_costs(player: Player, found: Evaluated) -> list[str]:
    """What the episodes cost, what a success costs, and what went wrong at the interface, as lines."""
    lines = [f"cost      {_cost(found.cost, player)}; charged now: {_cost(player.budget.spent, player)}"]
    passes = sum(episode.grade.all_pass for episode in found.played.values())
    each = "none, as nothing passed"
    if passes:
        share = found.cost.tokens / passes
        each = f"{share:,.0f} tokens"
        each += f", {found.cost.dollars / passes:.4f} dollars" if _priced(found.cost, player) else ""
    lines.append(f"a success {each}")
    lines.append(
        f"counted   {found.unreadable} unreadable messages; {found.refused} episodes refused by the model, "
        f"{found.turned_down} turned down by its endpoint"
    )
    if found.declined:
        lines.append(f"          the first: {found.declined}")
    missing = found.wanted - len(found.played)
    if missing:
        why = "stopped" if found.stopped else found.reason
        lines.append(f"not played, and not scored: {missing} of {found.wanted} episodes: {why}")
    return lines


def _priced(cost: AuthorCost, player: Player) -> bool:
    """Whether dollars are known: 0.0 may mean that they are not."""
    return cost.dollars > 0 or player.settings.dollars_per_million is not None


def _cost(cost: AuthorCost, player: Player) -> str:
    dollars = f"{cost.dollars:.4f} dollars" if _priced(cost, player) else "no known price"
    return f"{cost.calls:,} messages, {cost.tokens_in:,} + {cost.tokens_out:,} tokens, {dollars}"
