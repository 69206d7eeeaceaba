"""Statistics of sweeps: pure functions of arrays. Rows are seeds throughout; what differs is paired by seed.

`iqm`          interquartile mean, and the stratified bootstrap
`tail`         mean of the worst tasks, ranked on one set of rollouts and scored on another
`permutation`  paired permutation test of seed means
`holm`         adjustment for several contrasts
`improvement`  probability that one arm beats another
`paired`       intervals of paired differences and of their ratios
`curves`       area, steps to a threshold, height at a budget
`spread`       how far rollouts and seeds scatter
`power`        how often a gain of a given size would be seen
"""
