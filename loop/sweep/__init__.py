"""Arms times seeds under a plan that is written down first: `python -m loop.sweep CONFIG`.

configuration -> plan file -> one process per seed, its arms in turn -> a result file per run -> comparison
"""
