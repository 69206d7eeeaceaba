"""Allocation rules: what each cell of a report is worth when worlds are shared out."""
