"""Mirrors of the ledger's metrics: JSON lines in the run directory, MLflow, and own trackers."""
