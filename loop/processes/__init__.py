"""One run by several processes: every process does the same, and process 0 keeps the records."""
