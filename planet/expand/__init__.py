"""The deterministic expansion of an author's compact artifacts into rows, documents and hidden checks."""
