"""The learning agent: a view and a session become a trajectory, and graded trajectories become new
parameters.

`config` imports no JAX; everything that computes does.
"""
