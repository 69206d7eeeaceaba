"""Do tasks that read alike need the same tools? Clusters of texts against clusters of tool sets.

`items` and `corpus` read tasks, `clusters` finds the groups, `describe` tells what is in them, `agreement`
compares them, `words` says what holds, `write` makes tables and figure.
"""
