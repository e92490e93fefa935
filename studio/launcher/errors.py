"""What went wrong, in one line, and the command's exit code."""

import errno
from pathlib import Path

FAILED, USAGE, RUNNING, INTERRUPTED = 1, 2, 3, 130


class LauncherError(Exception):
    """Ends a command with one line (cause and way out) and an exit code."""

    def __init__(self, message: str, *, code: int = FAILED) -> None:
        super().__init__(message)
        self.code = code


def explained(error: OSError) -> LauncherError | None:
    """One line about an operating-system error that a user can fix; None for any other error."""
    where = error.filename or "the disk"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return LauncherError(
            f"The disk was full while writing {where}. Free some disk space and start again."
        )
    if error.errno == errno.EROFS:
        return LauncherError(
            f"{where} is on a read-only file system. Make it writable, or set STUDIO_DATA_DIR "
            "to another folder. A file system becomes read-only after errors; the system's log "
            "shows them."
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return LauncherError(
            f"There is no permission to write {where}. Allow {user()} to write there, or set "
            "STUDIO_DATA_DIR to another folder."
        )
    return None


def user() -> str:
    """The account this runs as, for messages."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as in some containers
        return "this account"


def disk_space(folder: Path, *, need_mb: int, purpose: str) -> None:
    """Raise unless the disk of `folder` (or of its nearest existing parent) has `need_mb` free."""
    import shutil

    existing = next(path for path in [folder, *folder.parents] if path.exists())
    free_mb = shutil.disk_usage(existing).free // 1_000_000
    if free_mb < need_mb:
        raise LauncherError(
            f"The disk of {folder} has {free_mb} MB free; {purpose} needs {need_mb} MB. "
            "Free some disk space and start again."
        )
