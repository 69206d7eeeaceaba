"""Growers: which briefs are asked for between iterations."""
