"""From nothing to a run on a TPU slice and back: create, set up, launch, watch, collect, delete."""
