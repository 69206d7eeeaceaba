"""Ladders: skills near zero success are approached over easier ones."""
