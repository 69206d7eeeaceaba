"""The worlds of a folder, one a line: what to inspect is chosen from."""

import json
from pathlib import Path

from planet.command import REFUSED
from planet.inspect.sentences import plain
from planet.plain_files import Files
from planet.records.world import Company
from planet.store import entries


def print_worlds(folder: Path) -> int:
    """Print id, tasks, industry, country and company of each world. Exit code 1 when one cannot be read."""
    known = entries(folder)
    unread = 0
    for name in sorted(known):
        try:
            bare = json.loads(Files(folder).read(f"worlds/{name}.json"))
            company = Company.model_validate(bare["company"])
        except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
            unread += 1
            print(plain(f"{name}  unreadable: {str(error).splitlines()[0]}"))
            continue
        tasks = f"{known[name].get('tasks', '?')} tasks"
        print(plain(f"{name}  {tasks:>9}  {company.industry:<13}  {company.country}  {company.name}"))
    print(f"{len(known):,} worlds; show one with: python -m planet.inspect {folder} WORLD_ID")
    return REFUSED if unread else 0
