"""Samplers: which tasks of the pool the next update draws."""
