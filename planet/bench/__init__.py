"""How fast worlds run and are made, as ratios to raw SQLite, and how many sessions one process holds."""
