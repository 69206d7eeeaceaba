"""A world in execution: its database, its tools, its sessions, the grading of its final state."""
