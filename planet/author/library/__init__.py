"""Library worlds of the template author: whole companies, of which an environment offers a slice.

Companies are usual: most slices are among what their industry usually does. A few are built around a resource
that a brief names; `planet.orders` names each seldom one in turn, which gives the long tail.
"""

from planet.author.library.company import sub_industry
from planet.author.library.rows import library_rows
from planet.author.library.rules import library_rules
from planet.author.library.slices import draw_slice, seldom
from planet.author.library.tables import LibraryTables, library_tables

__all__ = [
    "LibraryTables",
    "draw_slice",
    "library_rows",
    "library_rules",
    "library_tables",
    "seldom",
    "sub_industry",
]
