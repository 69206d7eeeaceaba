"""What the training touched: shares of the pool with a gradient, beside what uniform draws would reach.

`pool` reads the pool and the updates of a run, `shares` counts and draws, `beside` sets another run of the
same seed next to it, `write` makes tables and figure.
"""
