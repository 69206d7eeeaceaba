"""A policy that is a model behind an interface: it plays episodes by function calling, and learns nothing."""
