"""What can go wrong with a slice; a message is one line that names the value seen and the remedy."""


class SliceError(Exception):
    """The slice, gcloud or a run on it cannot do what was asked."""

    exit_code = 1


class UseError(SliceError):
    """Wrong use: a setting is missing or not allowed. Nothing was done."""

    exit_code = 2


class GcloudError(SliceError):
    """gcloud ended with an error."""

    def __init__(self, message: str, stderr: str = "") -> None:
        super().__init__(message)
        self.stderr = stderr  # everything it printed to standard error

    @property
    def not_found(self) -> bool:
        """Whether it says that the thing it was asked about is not there."""
        return any(sign in self.stderr for sign in ("NOT_FOUND", "matched no objects"))
