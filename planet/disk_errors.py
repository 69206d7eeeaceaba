"""What a disk refused, in words: `PATH: what; remedy`."""

import errno
import os

_TOLD: dict[int | None, tuple[str, str]] = {
    errno.ENOENT: ("does not exist", "check the name"),
    errno.ENOTDIR: ("a part of it is no folder", "check the name"),
    errno.EISDIR: ("is a folder", "give the name of a file"),
    errno.EEXIST: ("exists already", "give another name"),
    errno.EACCES: ("permission denied", "change the permissions, or give another place"),
    errno.EPERM: ("not permitted", "change the permissions, or give another place"),
    errno.EROFS: ("lies on a disk that can only be read", "give another place"),
    errno.ENOSPC: ("no space is left", "free some, then type the same command again"),
    errno.EDQUOT: ("the quota of the disk is spent", "free some space, then type the same command again"),
    errno.ENAMETOOLONG: ("is too long a name", "give a shorter one"),
    errno.ELOOP: ("is a link that leads in a circle", "give the file itself"),
    errno.EMFILE: ("too many files are open", "raise the limit (ulimit -n), or use fewer processes"),
}
"""errno -> what happened, and the remedy."""


def told(error: OSError) -> str:
    """One line for the user; an error without a number has its own words."""
    if error.errno is None:
        return str(error)
    path = "" if error.filename is None else os.fsdecode(_name(error))
    what, remedy = _TOLD.get(error.errno, (error.strerror or str(error), "mend that, then try again"))
    if error.errno == errno.ENOENT and path and not os.path.isdir(os.path.dirname(path) or "."):
        what, remedy = "its folder does not exist", "make it, or check the name"
    return f"{path}: {what}; {remedy}" if path else f"{what}; {remedy}"


def _name(error: OSError) -> str | bytes:
    return error.filename if isinstance(error.filename, str | bytes) else str(error.filename)
