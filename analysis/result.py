"""What a command found: text to print, and the files that it wrote."""

from pathlib import Path
from typing import NamedTuple


class Result(NamedTuple):
    """The outcome of one analysis."""

    text: str
    files: tuple[Path, ...]

    def show(self) -> None:
        """Print the text, and where the files are."""
        print(self.text)
        print("written: " + ", ".join(str(file) for file in self.files))
