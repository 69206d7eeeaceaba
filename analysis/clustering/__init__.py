"""Do tasks that read alike need the same tools? Clusters of texts against clusters of tool sets.

`items` reads tasks, `clusters` finds the groups, `describe` tells what is in them, `agreement` compares them,
`write` makes tables and figure.
"""
