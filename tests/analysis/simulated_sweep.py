"""Result files of a simulated sweep: every arm shares a seed's tasks and start, and adds its own skill."""

import random

from analysis.run_result import CurvePoint, Extension, Grown, Made, RunResult, TargetedCell, TestTask, Tries

FAMILIES = {"update": 0.6, "create": 0.4, "lookup": 0.3, "two_hop": 0.15}
"""Family -> all-pass of the warm start."""
TARGETED = ("two_hop", "lookup")
SEATS = {"two_hop": 6, "lookup": 4, "create": 2, "update": 1}
"""Family -> targeted briefs of the first iteration; the even share is 13 / 4."""
GAINS = {
    "closed_loop": (0.30, 0.05),  # on targeted families, on the others
    "random_worlds": (0.10, 0.05),
    "placebo": (0.10, 0.05),
    "static": (0.05, 0.05),
    "oracle": (0.32, 0.05),
}


def simulated_sweep(arms=tuple(GAINS), seeds=range(10), rollouts=8, extended=True):
    """One result per arm and seed."""
    return [simulated_result(arm, seed, rollouts, extended) for arm in arms for seed in seeds]


def simulated_result(arm, seed, rollouts=8, extended=True):
    """One result; `static` is charged a third and goes on until the closed loop's charged steps."""
    draw = random.Random(f"{arm}/{seed}")
    growing = arm != "static"
    luck = draw.gauss(0, 0.01)
    further = extended and not growing
    return RunResult(
        experiment="simulated",
        arm=arm,
        seed=seed,
        run_id=f"{arm}-x-s{seed}",
        config_digest=arm,
        splits_digest=f"splits{seed}",
        plan_digest=None,
        warm_start=f"warm{seed}",
        temperature=1.0,
        updates=60,
        charged={"train": 6000, **({"audit": 12000} if growing else {})},
        uncharged={"test": 900},
        tasks=tuple(_task(arm, seed, number, draw, luck, rollouts, further) for number in range(48)),
        curve=_curve(arm, growing, further, draw, luck),
        targeted=tuple(
            TargetedCell(
                cell=f"family:{family}",
                rank=rank,
                weight=0.1,
                seats=seats,
                opportunities=40,
                rate=1 - FAMILIES[family],
            )
            for rank, (family, seats) in enumerate(SEATS.items(), 1)
        ),
        footprint=(),
        growth=(_grown(),) if growing else (),
        extension=Extension(updates=120, charged={"train": 12000}, budget=18000, reached=True)
        if further
        else None,
        made=Made(commit=None, seconds=1.0, seconds_by_kind={}),
    )


def skill(arm, family, spent):
    """All-pass after a share of the training."""
    gain = GAINS.get(arm, GAINS["random_worlds"])[family not in TARGETED]
    return min(1.0, max(0.0, FAMILIES[family] + gain * spent))


def _task(arm, seed, number, draw, luck, rollouts, further):
    family = list(FAMILIES)[number % 4]
    start = random.Random(f"warm/{seed}/{number}")  # common to the arms of a seed

    def tries(source, share, count):
        passed = tuple(source.random() < share for _ in range(count))
        return Tries(passed=passed, reward=sum(passed) / count)

    return TestTask(
        task_id=f"{seed}/{number:02d}",
        world_id=f"w{seed}/{number // 8}",
        family=family,
        part="test",
        cells=(f"family:{family}", f"operation:{'search' if family in TARGETED else 'update'}"),
        warm_sampled=tries(start, FAMILIES[family], rollouts),
        warm_greedy=tries(start, FAMILIES[family], 1),
        final_sampled=tries(draw, skill(arm, family, 1) + luck, rollouts),
        final_greedy=tries(draw, skill(arm, family, 1) + luck, 1),
        extended_sampled=tries(draw, skill(arm, family, 1.5) + luck, rollouts) if further else None,
        extended_greedy=tries(draw, skill(arm, family, 1.5) + luck, 1) if further else None,
    )


def _curve(arm, growing, further, draw, luck):
    points = [(0, 0), (20, 4000 if growing else 2000), (40, 12000 if growing else 4000)]
    points += [(60, 18000 if growing else 6000), *([(180, 18000)] if further else [])]
    out = []
    for updates, charged in points:
        families = {
            f: skill(arm, f, updates / 60) + (luck + draw.gauss(0, 0.01)) * bool(updates) for f in FAMILIES
        }
        mean = sum(families.values()) / len(families)
        out.append(
            CurvePoint(
                updates=updates,
                charged_steps=charged,
                episodes=60,
                all_pass=mean,
                reward=mean,
                families=families,
            )
        )
    return tuple(out)


def _grown():
    return Grown(
        iteration=0,
        briefs=13,
        syntheses=20,
        targeted=13,
        on_target=12,
        admitted=13,
        refused={"avoided_tools": 7},
    )


def write_sweep(folder, results):
    """Their files, as a sweep leaves them."""
    folder.mkdir(parents=True, exist_ok=True)
    for result in results:
        (folder / f"{result.name}.json").write_text(result.model_dump_json())
    return folder
