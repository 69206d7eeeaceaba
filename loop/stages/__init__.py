"""The stages of the circle: each does the work of one kind of step and hands back what to record."""
