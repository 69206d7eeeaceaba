"""`python -m planet.inspect DIR [WORLD]`: the worlds of a folder, or one for a reader, keys included."""

from argparse import Namespace
from pathlib import Path

from planet.command import Parser, command, finish, none_or_more
from planet.store import read_world, task_named, world_named
from planet.whole_file import check_place, write_whole


def main(argv: list[str] | None = None) -> int:
    """Print the world, or write its page. Exit code 0, 1 when a listed one is unreadable, 2 for wrong use."""
    parser = _parser()
    given = parser.parse_args(argv)
    if given.world is None and (given.html or given.task):
        parser.error(
            f"{'--html' if given.html else '--task'} is of one world; write its id, or how it begins"
        )
    return finish(parser, lambda: _run(given))


def _parser() -> Parser:
    parser = command("inspect", "A world for a reader: company, services, tables, pages, rules, tasks.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="worlds made by planet.synthesize")
    parser.add_argument("world", nargs="?", metavar="WORLD_ID", help="or how it begins; without: list all")
    parser.add_argument("--task", default="", metavar="TASK_ID", help="the task to show (default: the first)")
    parser.add_argument(
        "--rows", type=none_or_more, default=3, metavar="N", help="rows of each table (default 3)"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write one page, services drawn, instead")
    return parser


def _run(given: Namespace) -> int:
    if given.world is None:
        from planet.inspect.listing import print_worlds

        return print_worlds(given.folder)
    if given.html is not None:
        check_place(given.html)
    stored = read_world(given.folder, world_named(given.folder, given.world))
    task = task_named(stored, given.task) if given.task else next(iter(stored.tasks), None)
    if given.html is None:
        from planet.inspect.text import print_world

        print_world(stored, task, given.rows)
        return 0
    from planet.inspect.page import world_page

    write_whole(given.html, world_page(stored, task, given.rows))
    print(f"{given.html} shows world {stored.world.id}, what is hidden included; open it in a browser")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
