"""One self-contained HTML page about a run or a sweep: verdict, then weakness, brief, world, result.

`record` reads the ledger once, `samples` chooses the episodes that are shown, one module per section writes
its part, `run_page` and `sweep_page` put the parts in order, `document` makes them one file that needs no
network.
"""
