"""Report transforms: what a grower is told instead of the measured report."""
