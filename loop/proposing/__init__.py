"""Worlds for a report from anywhere: read it, understand its cells, aim, make, keep the books. No JAX."""
