"""Anyone's episodes, a JSON line each: read into the probes that a weakness report counts, and reported."""
