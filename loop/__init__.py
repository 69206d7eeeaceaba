"""Closes the circle: configuration, curricula, targeting, evaluation, tracking and run directories."""
