"""Training samples for authors: `python -m planet.construction`."""
