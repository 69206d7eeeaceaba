"""From briefs to audited worlds in a folder, and the books of what became of each.

    DIR/manifest.json, worlds/, tasks/, keys/   as `planet.store` writes them
    DIR/briefs.jsonl                            one line per brief: what was asked, why, what came of it
    DIR/summary.json                            the counts, what was understood, whether all briefs were tried

A world is written when it is made, and the books after every brief, so a command that was stopped leaves what
it had made.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loop.errors import ConfigError
from loop.files import write_atomically, write_json
from loop.proposing.aiming import NOTHING_RESERVED, moved
from loop.worlds.admission import refusals
from loop.worlds.synthesis import Synthesized, synthesized
from planet.author.artifacts import AuthorCost
from planet.catalog import Catalog
from planet.identity import seed_of
from planet.records.world import Brief
from planet.refusal_words import refused_lines
from planet.store import write_world

TRIES = 3
"""Syntheses per brief, each but the first in another industry and country."""


@dataclass
class Proposal:
    """One brief and what became of it."""

    number: int  # from 0
    brief: Brief  # as it was tried last
    world_id: str | None = None  # None: no world yet
    tries: int = 0  # syntheses
    valid: int = 0  # of these, worlds that passed the twelve checks
    solvable: int = 0  # of these, worlds not equal to one made before and with enough audited tasks
    audit_steps: int = 0  # session calls that audits executed
    cost: AuthorCost = field(default_factory=AuthorCost)  # of all proposals of the author
    refused: Counter[str] = field(default_factory=Counter)  # validator, audit or admission rule -> count

    def record(self) -> dict[str, Any]:
        """The proposal as its line of briefs.jsonl."""
        return {
            **vars(self),
            "cost": self.cost.model_dump(mode="json"),
            "refused": dict(sorted(self.refused.items())),
            "brief": self.brief.model_dump(mode="json"),
        }


def check_empty(folder: Path) -> None:
    """ConfigError when the folder is a file or holds anything."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} is not an empty folder; name another with --out, or empty it")


def make(
    briefs: Sequence[Brief], author: Any, catalog: Catalog, folder: Path, tasks: int, seed: int
) -> Iterator[Proposal]:
    """Try every brief until it has a world or no tries are left; a world is on disk when it is yielded."""
    existing: set[str] = set()
    for number, brief in enumerate(briefs):
        proposal = Proposal(number, brief)
        while proposal.world_id is None and proposal.tries < TRIES:
            if proposal.tries:
                proposal.brief = moved(brief, catalog, seed, number, proposal.tries)
            made = synthesized(
                proposal.brief,
                author,
                catalog,
                seed_of(seed, "propose", number, proposal.tries),
                tasks,
                unfit=lambda world: refusals(world, NOTHING_RESERVED, existing),
            )
            _judge(proposal, made, existing, folder)
        yield proposal


def _judge(proposal: Proposal, made: Synthesized, existing: set[str], folder: Path) -> None:
    """Count a synthesis, and write its world if nothing stands against it."""
    proposal.tries += 1
    proposal.audit_steps += made.audit_steps
    proposal.cost = sum((call.cost for call in made.calls), proposal.cost)
    proposal.refused.update(made.refused)
    proposal.valid += made.valid
    proposal.solvable += made.complete
    if made.world is None or made.key is None or made.on_target is False:
        return
    existing.add(made.world.id)
    proposal.world_id = made.world.id
    note = {"brief": proposal.number, "goal": _goal(proposal.brief), "audit_steps": made.audit_steps}
    write_world(folder, made.world, made.key, made.tasks, note)


def _goal(brief: Brief) -> str | None:
    return brief.target.cells[0] if brief.target else None


# ── the books ─────────────────────────────────────────────────────────────────────────────────────


def write_books(folder: Path, proposals: Sequence[Proposal], asked: int, known: dict[str, Any]) -> None:
    """briefs.jsonl and summary.json. `known`: what else the summary says, e.g. seed and author."""
    lines = [json.dumps(p.record(), sort_keys=True, ensure_ascii=False) for p in proposals]
    write_atomically(folder / "briefs.jsonl", "".join(f"{line}\n" for line in lines))
    write_json(folder / "summary.json", {**known, **counts(proposals, asked)})


def counts(proposals: Sequence[Proposal], asked: int) -> dict[str, Any]:
    """The funnel from briefs to worlds, and what refused the rest."""
    refused: Counter[str] = Counter()
    goals: dict[str, Counter[str]] = {}
    for p in proposals:
        refused.update(p.refused)
        goal = goals.setdefault(_goal(p.brief) or "", Counter())
        goal.update(briefs=1, worlds=int(p.world_id is not None))
    return {
        "briefs": asked,
        "complete": len(proposals) == asked,  # whether every brief was tried
        "syntheses": sum(p.tries for p in proposals),
        "valid": sum(p.valid for p in proposals),
        "solvable": sum(p.solvable for p in proposals),
        "worlds": sum(p.world_id is not None for p in proposals),
        "audit_steps": sum(p.audit_steps for p in proposals),
        "cost": sum((p.cost for p in proposals), AuthorCost()).model_dump(mode="json"),
        "refused": dict(sorted(refused.items())),
        "goals": {goal: dict(found) for goal, found in sorted(goals.items())},
    }


def tell_proposal(proposal: Proposal, count: int) -> str:
    """One brief and what became of it, in one line."""
    refused = ", ".join(f"{rule} {n}" for rule, n in sorted(proposal.refused.items()))
    ended = f"world {proposal.world_id}" if proposal.world_id else f"no world in {proposal.tries} tries"
    return f"brief {proposal.number + 1} of {count}, {_goal(proposal.brief)}: {ended}" + (
        f" (refused on the way: {refused})" if refused else ""
    )


def tell_counts(found: dict[str, Any]) -> list[str]:
    """The funnel, the goals and the refusals, one line each."""
    funnel = (
        f"{found['briefs']} briefs, {found['syntheses']} syntheses: {found['valid']} valid, "
        f"{found['solvable']} with enough audited tasks, {found['worlds']} on target and written"
    )
    goals = [
        f"  {goal}: {of['worlds']} worlds of {of['briefs']} briefs" for goal, of in found["goals"].items()
    ]
    return [funnel, *goals, *refused_lines(found["refused"])]
