"""The asynchronous mode: groups that are played while the policy learns, and how they are accounted for."""
