"""Speed beside other programs that do the same work: one run measures both, each in a process of its own."""
