"""A world for a reader, keys included: as text, or as one page with the service graph drawn."""
