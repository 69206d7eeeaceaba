"""One error tree for the analysis; each class is one boundary at which things can fail."""


class AnalysisError(Exception):
    """Any failure of the ledger, of a run directory, or of the data handed to an analysis."""


class LedgerError(AnalysisError):
    """The ledger cannot be opened, has another schema, or refuses what was written to it."""


class RunDirectoryError(AnalysisError):
    """A folder is not a run directory, or holds no run that the command can read."""


class DataError(AnalysisError):
    """Records handed to an analysis are empty, malformed or do not fit each other."""
