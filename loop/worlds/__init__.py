"""The worlds of a run: splits, what is held out, synthesis, the pool, sessions, and the disk."""
