"""Analysis: from the ledger of a run to numbers and figures.

`analysis.ledger` is what `loop` writes; everything else reads it. Each command takes a run directory:
`python -m analysis.weakness RUN`, `footprint`, `clustering`, `health`, `compare`, `episode`, `report`.
"""
