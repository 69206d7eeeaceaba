"""How many worlds there are and how many services each has, beside what other projects published.

`published` holds their figures with sources, `write` makes table and figure.
"""
