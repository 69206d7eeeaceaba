"""`Stream`: groups in play across updates.

What happens next follows from counts alone: groups are submitted up to `prompts_per_update` + `ahead` that no
update has taken yet, an update takes the first ones that are complete, and so many decoding calls are made
while it is computed. A clock decides nothing, so a run can be repeated, and a resumed one goes on exactly.
"""

from collections.abc import Callable, Sequence
from typing import Any

from loop.asynchronous.in_play import GroupInPlay, Prompt, prompt_of, restored, stored
from loop.asynchronous.schedule import Schedule
from loop.asynchronous.waiting import Charges, Settled, Waiting
from loop.config import Asynchronous, Config
from loop.curricula.protocols import Gate, Sampler
from loop.episodes.groups import Group
from loop.episodes.playing import Wanted, graded, prompts, request_for
from loop.learning.in_play import InPlay, PlaysOn
from loop.learning.learner import Request, Rollout
from loop.worlds.pool import Pool, PoolTask
from loop.worlds.sessions import SessionPool
from planet.identity import seed_of
from planet.world.session import Session


class Stream:
    """Groups in play. A step is `begin`, `gather`, `play_on` while the update is computed, `push`."""

    def __init__(self, config: Config, mode: Asynchronous, learner: PlaysOn, sessions: SessionPool) -> None:
        self._config, self._mode = config, mode
        self._learner, self._sessions = learner, sessions
        self._episodes: InPlay | None = None  # None: nothing was ever submitted
        self._waiting = Waiting()
        self._of: dict[int, tuple[GroupInPlay, int]] = {}  # number of an episode -> its group and member
        self._drawn: set[str] = set()  # tasks since groups were last submitted for an update
        self._unreplaced = 0  # groups that were dropped since then
        self._version = 0  # updates that the episodes in play know of
        self._schedule = Schedule()
        self._settled: list[Settled] = []  # in this step
        self.advanced: Callable[[int], None] = lambda count: None  # hears of episodes that ended

    @property
    def groups(self) -> int:
        """Groups that no update has taken."""
        return len(self._waiting)

    # ── the parts of a step ───────────────────────────────────────────────────────────────────────────────

    def begin(self, step: int, version: int, updates: int, pool: Pool, sampler: Sampler, gate: Gate) -> None:
        """A step begins: `updates` are still to come, this one included; `version` is the learner's."""
        self._step, self._left, self._pool, self._sampler, self._gate = step, updates, pool, sampler, gate
        self._place, self._refills, self._version = 0, 0, version
        self._settled = []

    def gather(self) -> list[Group]:
        """The groups that the update takes, admitted, and those that were dropped, in order of submission.

        Plays until enough are ready, or nothing is left to be played.
        """
        ready, self._waiting.ready = self._waiting.ready, []
        self._judge(ready, asked=True)
        self._judge_complete()
        self._fill("prompts", self._left)
        enough = self._config.prompts_per_update
        while len(self._waiting.ready) < enough:
            self._refill()
            if not self._waiting.in_play:
                break
            self._advance()
            self._judge_complete()
        for group in self._waiting.ready[:enough]:
            self._schedule.note("consumed", group.id, age=self._age(group))
            self._settled.append(Settled(group, admitted=True))
        del self._waiting.ready[:enough]
        self._settled.sort(key=lambda settled: settled.group.order)
        return [Group(group.id, group.members, *became) for group, *became in self._settled]

    def play_on(self) -> None:
        """What is played while the update is computed: submit what the next one needs, and advance."""
        if not self._mode.advance or self._left < 2:
            return
        self._fill("ahead", self._left - 1)
        for _ in range(self._mode.advance):
            if self._waiting.in_play:
                self._advance()

    def push(self, version: int) -> None:
        """The update is done: episodes go on under its weights, which are of this version."""
        self._version = version
        self._schedule.note("pushed", str(version), in_play=len(self._waiting.in_play))
        if self._episodes is not None:
            self._episodes.renew()

    def account(self) -> tuple[Charges, list[dict[str, Any]]]:
        """(calls of this step, its schedule). Everything executed is charged in the step that executed it."""
        executed = 0
        for group in (*self._waiting.all(), *(settled.group for settled in self._settled)):
            executed += group.calls - group.charged
            group.charged = group.calls
        stale = sum(group.calls for group, _, stale in self._settled if stale)
        dropped = sum(group.calls for group, admitted, _ in self._settled if not admitted)
        return Charges(executed, dropped - stale, stale), self._schedule.take()

    # ── submission ────────────────────────────────────────────────────────────────────────────────────────

    def _ahead(self, updates: int) -> int:
        """Groups beyond an update's own that are of use when so many updates are to come."""
        return min(self._mode.ahead, (updates - 1) * self._config.prompts_per_update)

    def _fill(self, purpose: str, updates: int) -> None:
        """Submit groups until there are as many as the update and those ahead of it want."""
        missing = self._config.prompts_per_update + self._ahead(updates) - len(self._waiting)
        if missing > 0:
            self._drawn, self._unreplaced = set(), 0
            self._draw(
                missing, seed_of(self._config.learning_seed, purpose, self._step), list(self._pool.listed)
            )

    def _refill(self) -> None:
        """Once only groups ahead are in play, replace those that were dropped, all together."""
        if not self._unreplaced or len(self._waiting.in_play) > self._ahead(self._left):
            return
        again = (self._refills,) if self._refills else ()
        rest = [task for task in self._pool.listed if task.id not in self._drawn]
        missing, self._unreplaced, self._refills = self._unreplaced, 0, self._refills + 1
        seed = seed_of(self._config.learning_seed, "refill", self._step, *again)
        self._draw(missing, seed, rest or self._pool.listed, replaces=True)

    def _draw(self, count: int, seed: int, tasks: Sequence[PoolTask], replaces: bool = False) -> None:
        for task_id in self._sampler.draw(tasks, count, seed):
            self._drawn.add(task_id)
            self._submit(Prompt(task_id, self._step, self._place, replaces))
            self._place += 1

    def _submit(self, prompt: Prompt) -> None:
        group = GroupInPlay(prompt, self._wanted(prompt, self._pool), [])
        group.numbers = self._playing().submit([self._request(group, m) for m in range(len(group.wanted))])
        self._enter(group)
        self._schedule.note("submitted", group.id, version=self._version)

    def _enter(self, group: GroupInPlay) -> None:
        self._waiting.in_play.append(group)
        for member, number in enumerate(group.numbers):
            if member not in group.played:
                self._of[number] = group, member

    def _wanted(self, prompt: Prompt, pool: Pool) -> tuple[Wanted, ...]:
        """The episodes of a prompt."""
        config, asked = self._config, [prompt.task_id]
        unheard, seed = config.unheard_prompts, config.learning_seed
        return tuple(prompts(pool, asked, config.group_size, prompt.step, prompt.place, unheard, seed))

    def _request(self, group: GroupInPlay, member: int) -> Request:
        """The episode of a member; when it begins, its session is known to the group."""
        wanted = group.wanted[member]

        def begun() -> Session:
            group.sessions[member] = self._sessions.open(wanted.environment, wanted.task)
            return group.sessions[member]

        return request_for(wanted, self._sessions)._replace(open=begun)

    def _playing(self) -> InPlay:
        if self._episodes is None:
            self._episodes = self._learner.in_play(self._config.policy.rollout.temperature)
        return self._episodes

    # ── completion ────────────────────────────────────────────────────────────────────────────────────────

    def _advance(self) -> None:
        """One decoding call; groups whose last member ended with it are complete, the first submitted
        first."""
        ended = self._playing().advance()
        self._schedule.calls += 1
        complete = [group for number, rollout in ended if (group := self._finished(number, rollout)).complete]
        complete = sorted({id(group): group for group in complete}.values(), key=lambda group: group.order)
        for group in complete:
            self._waiting.in_play.remove(group)
        self._waiting.complete += complete
        self.advanced(len(ended))

    def _finished(self, number: int, rollout: Rollout) -> GroupInPlay:
        """The group of an episode that ended, which is graded."""
        group, member = self._of.pop(number)
        wanted = group.wanted[member]
        oldest, first = self._playing().age(rollout)
        group.ended(member, graded(wanted, rollout, self._sessions, first), oldest)
        self._schedule.note("finished", wanted.episode_id)
        return group

    def _judge_complete(self) -> None:
        complete, self._waiting.complete = self._waiting.complete, []
        self._judge(complete, asked=False)

    def _judge(self, groups: Sequence[GroupInPlay], asked: bool) -> None:
        """Drop what is too old, and what the gate drops unless it was `asked` before; the rest is ready."""
        for group in groups:
            if self._age(group) > self._mode.staleness:
                self._drop(group, stale=True)
            elif asked or self._gate.admit([played.grade.raw_reward for played in group.members]):
                self._waiting.ready.append(group)
            else:
                self._drop(group, stale=False)

    def _drop(self, group: GroupInPlay, stale: bool) -> None:
        self._schedule.note("stale" if stale else "rejected", group.id, age=self._age(group))
        self._unreplaced += not group.prompt.replaces
        self._settled.append(Settled(group, admitted=False, stale=stale))

    def _age(self, group: GroupInPlay) -> int:
        """Updates since the oldest of its sampled tokens."""
        return self._version - (self._version if group.oldest is None else group.oldest)

    # ── checkpoints ───────────────────────────────────────────────────────────────────────────────────────

    def state_dict(self) -> dict[str, Any]:
        """Everything in play, as JSON values; between two steps, right after `push`."""
        if self._episodes is None:
            return {}
        return {
            **{
                name: [stored(group, self._episodes) for group in getattr(self._waiting, name)]
                for name in ("in_play", "complete", "ready")
            },
            "drawn": sorted(self._drawn),
            "unreplaced": self._unreplaced,
            "calls": self._schedule.calls,
            "episodes": self._episodes.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any], pool: Pool) -> None:
        """Go on from a stored state. Calls of episodes in progress are executed again, and not counted."""
        if not state:
            return
        episodes = self._playing()
        for name in ("in_play", "complete", "ready"):
            groups = [restored(each, self._wanted(prompt_of(each), pool), episodes) for each in state[name]]
            setattr(self._waiting, name, groups)
        in_play, self._waiting.in_play = self._waiting.in_play, []
        for group in in_play:
            self._enter(group)
        requests = {number: self._request(*where) for number, where in self._of.items()}
        episodes.load_state_dict(state["episodes"], requests)
        self._sessions.repeated(sum(s.steps for group in in_play for s in group.sessions.values()))
        self._drawn, self._unreplaced = set(state["drawn"]), state["unreplaced"]
        self._schedule.calls = state["calls"]


def stream_of(config: Config, learner: Any, sessions: SessionPool) -> Stream | None:
    """The stream of a configuration; None when play and learning take turns."""
    mode = config.asynchronous
    return None if mode is None else Stream(config, mode, learner, sessions)
