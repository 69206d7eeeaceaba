"""Do the checks see? Sound worlds and tasks, corrupted in one way each: `python -m planet.mutations`."""
