"""How well an author makes worlds: `python -m planet.author_eval`."""
