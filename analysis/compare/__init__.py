"""Runs side by side: where each one ended, what it cost, what it forgot, and its curves on both budgets.

`standing` measures one run, `write` makes the tables and the learning curves; `withheld`, `cells`, `dose`,
`difficulty`, `mass` and `funnel` show what stands in the ledgers alone.
"""
