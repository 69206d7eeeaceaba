"""A whole run directory of a simulated agent that gets better with every update, written like `loop` does."""

import json
import random

from analysis.ledger import (
    BriefRow,
    ChargeRow,
    ClockRow,
    EpisodeRow,
    EvidenceRow,
    Ledger,
    MetricRow,
    ReportRow,
    RunRow,
    StepRow,
    TaskRow,
    ToolCallRow,
    TrajectoryRow,
    UpdateRow,
    WorldRow,
)
from analysis.weakness import weakness_report
from analysis.weakness.from_ledger import probes_from_rows

FAMILIES = ("update", "create", "two_hop")
INDUSTRIES = ("retail", "logistics")
RESOURCES = ("invoice", "ticket", "shipment")
SPLITS = (("train", 4), ("diagnose", 3), ("validate", 3), ("test", 3))
GROUP = 4


class SimulatedRun:
    """Writes a run into a directory. `skill(family, version)` is the probability that a task is solved."""

    def __init__(
        self,
        path,
        *,
        arm="closed_loop",
        seed=0,
        iterations=2,
        updates=3,
        prompts=3,
        gain=0.1,
        splits="splits",
        warm="warm",
    ):
        self.path, self.arm, self.seed, self.gain = path, arm, seed, gain
        self.iterations, self.updates, self.prompts = iterations, updates, prompts
        self.splits, self.warm = splits, warm
        self.run_id = f"sim-{arm}-s{seed}"
        self.draw = random.Random(seed)
        self.step = self.version = 0
        self.worlds, self.tasks, self.report = {}, {}, None

    def write(self):
        self.path.mkdir(parents=True, exist_ok=True)
        config = {"name": "sim", "arm": self.arm, "seed": self.seed, "ledger": None}
        (self.path / "config.json").write_text(json.dumps(config))
        with Ledger(self.path / "ledger.sqlite") as self.ledger:
            self._run_row()
            self._worlds()
            self._end("warm_start", None, [])
            self._validate(None)
            for iteration in range(self.iterations):
                self._diagnose(iteration)
                self._grow(iteration)
                for _ in range(self.updates):
                    self._update(iteration)
                self._validate(iteration)
            self._diagnose(None)
            final, self.version = self.version, 0
            self.subject = "warm_start"
            self._test()
            self.version, self.subject = final, "final"
            self._test()
        return self.path

    def skill(self, family, version):
        start = {"update": 0.6, "create": 0.4, "two_hop": 0.1}[family]
        return min(0.95, start + self.gain * version)

    def _run_row(self):
        row = RunRow(
            run_id=self.run_id,
            name="sim",
            arm=self.arm,
            seed=self.seed,
            config_digest="0",
            config={"name": "sim"},
        )
        with self.ledger.transaction() as tx:
            tx.add(row)

    def _end(self, kind, iteration, rows):
        details = {"worlds": {"splits_digest": self.splits}, "warm_start": {"key": self.warm}}
        detail = {"subject": self.subject} if kind == "test" else details.get(kind, {})
        step = StepRow(run_id=self.run_id, step=self.step, kind=kind, iteration=iteration, detail=detail)
        with self.ledger.transaction() as tx:
            tx.add(step, *rows)
            tx.add(MetricRow(run_id=self.run_id, step=self.step, name=f"{kind}/rows", value=len(rows)))
            tx.add(ClockRow(run_id=self.run_id, step=self.step, seconds=0.5))
        self.step += 1

    def _worlds(self):
        names = [(split, index) for split, count in SPLITS for index in range(count)]
        self._end("worlds", None, [row for split, index in names for row in self._world(split, index)])

    def _world(self, origin, index, iteration=None, brief_id=None):
        resources = RESOURCES[index % 2 : index % 2 + 2]
        tools = tuple(f"{op}_{resource}" for resource in resources for op in ("search", "update"))
        world = WorldRow(
            run_id=self.run_id,
            step=self.step,
            world_id=f"{origin}{index}",
            origin=origin,
            iteration=iteration,
            industry=INDUSTRIES[index % 2],
            country="BR",
            description=f"kind of business {index % 3}",
            services=("billing", "support"),
            resources=RESOURCES,
            slice=resources,
            offering=("billing",) if index % 2 else ("billing", "support"),
            tools=tools,
            tool_set="+".join(tools),
            writers={resource: (f"update_{resource}",) for resource in RESOURCES},
            rows=90,
            brief_id=brief_id,
        )
        self.worlds[world.world_id] = world
        return [world, *(self._task(world, family, resources[0]) for family in FAMILIES)]

    def _task(self, world, family, resource):
        owners = (f"family:{family}", f"resource:{resource}", f"tool:update_{resource}")
        arguments = {"id": "X-0001", "status": "done"}
        task = TaskRow(
            run_id=self.run_id,
            step=self.step,
            task_id=f"{world.world_id}/{family}",
            world_id=world.world_id,
            split=world.origin,
            family=family,
            template=f"{family}-1",
            role="coordinator",
            instruction=f"please {family} the {resource} of {world.world_id} and set it to done",
            facets={"family": family, "tools": [f"search_{resource}", f"update_{resource}"]},
            cells=(*owners, f"industry:{world.industry}"),
            owned={"A1": owners},
            oracle=({"tool": f"update_{resource}", "arguments": arguments, "required": True},),
        )
        self.tasks[task.task_id] = task
        return task

    def _episodes(self, origins, purpose, variant="t1", rollouts=1):
        tasks = [task for task in self.tasks.values() if task.split in origins]
        return [
            row
            for number, task in enumerate(tasks)
            for rollout in range(rollouts)
            for row in self._episode(
                task, f"s{self.step:04d}/{variant}/p{number}/g{rollout}", purpose, variant
            )
        ]

    def _episode(self, task, episode_id, purpose, variant, group_id=None):
        passed = self.draw.random() < self.skill(task.family, self.version) + (variant == "greedy") * 0.1
        call = task.oracle[0]
        arguments = {**call["arguments"], "status": "done" if passed else "open"}
        key = {"run_id": self.run_id, "step": self.step, "episode_id": episode_id}
        result = {"id": "X-0001", "created": False}
        executed = {"tool": call["tool"], "arguments": arguments, "payload": result, "error": None}
        trajectory = {
            "task_id": task.task_id,
            "world_id": task.world_id,
            "calls": [executed],
            "answer": "done",
            "ended": "answer",
        }
        return [
            EpisodeRow(
                **key,
                purpose=purpose,
                variant=variant,
                task_id=task.task_id,
                group_id=group_id,
                admitted=None,
                reward=float(passed),
                raw_reward=float(passed),
                score=float(passed),
                all_pass=passed,
                calls=1,
                malformed=0,
                tokens=40,
                ended="answer",
                policy_version=self.version,
            ),
            ToolCallRow(**key, turn=0, tool=call["tool"], arguments=arguments, ok=True, error=None),
            EvidenceRow(
                **key,
                name="A1",
                kind="equals",
                target_table=call["tool"].removeprefix("update_"),
                target_column="status",
                satisfied=passed,
                violated_at_start=True,
            ),
            *([TrajectoryRow(**key, trajectory=trajectory)] if purpose in ("diagnose", "test") else []),
        ]

    def _diagnose(self, iteration):
        rows = self._episodes(("diagnose",), "diagnose", rollouts=4)
        self.report = weakness_report(probes_from_rows(rows, self.tasks, self.worlds), previous=self.report)
        name = f"r{self.iterations if iteration is None else iteration}"
        report = self.report.model_dump(mode="json")
        rows.append(ReportRow(run_id=self.run_id, step=self.step, report_id=name, report=report))
        rows.append(ChargeRow(run_id=self.run_id, step=self.step, purpose="diagnose", steps=36, charged=True))
        self._end("diagnose", iteration, rows)

    def _grow(self, iteration):
        brief_id = f"i{iteration}/b00"
        rows = self._world("grown", iteration, iteration, brief_id)
        brief = BriefRow(
            run_id=self.run_id,
            step=self.step,
            brief_id=brief_id,
            brief={"text": "a shop", "target": {"cells": ["family:two_hop"]}},
            admitted_world_id=f"grown{iteration}",
            on_target=True,
        )
        self._end("grow", iteration, [*rows, brief])

    def _update(self, iteration):
        pool = [task for task in self.tasks.values() if task.split in ("train", "grown")]
        rows, admitted = [], 0
        for number, task in enumerate(self.draw.sample(pool, self.prompts)):
            group = f"s{self.step:04d}/p{number:02d}"
            members = [self._episode(task, f"{group}/g{g}", "train", "t1", group) for g in range(GROUP)]
            mixed = len({member[0].all_pass for member in members}) > 1
            admitted += mixed
            for episode, *rest in members:
                rows += [episode.replace(admitted=mixed), *rest]
        rows.append(
            UpdateRow(
                run_id=self.run_id,
                step=self.step,
                update_index=self.version,
                groups=self.prompts,
                admitted=admitted,
                dropped=self.prompts - admitted,
                refill_shortfall=self.prompts - admitted,
                metrics={"entropy": 0.5, "gradient_norm": 1.25},
            )
        )
        steps = self.prompts * GROUP
        rows.append(ChargeRow(run_id=self.run_id, step=self.step, purpose="train", steps=steps, charged=True))
        self._end("update", iteration, rows)
        self.version += 1

    def _validate(self, iteration):
        self._end("validate", iteration, self._episodes(("validate",), "validate", rollouts=2))

    def _test(self):
        rows = self._episodes(("test",), "test", rollouts=4) + self._episodes(("test",), "test", "greedy")
        rows.append(ChargeRow(run_id=self.run_id, step=self.step, purpose="test", steps=45, charged=False))
        self._end("test", None, rows)
