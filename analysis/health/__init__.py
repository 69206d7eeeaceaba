"""Training health: how each update went, so that a run that goes wrong is seen before its score tells.

`updates` measures, `write` makes the table and the figure.
"""
