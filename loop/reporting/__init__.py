"""What a run says: progress, a block per iteration, a verdict, figures."""
