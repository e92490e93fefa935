"""Files that lie beside the rows of a dataset, in a folder of this machine."""

from pathlib import Path

from workers.core.benchmarks.benchmark import Beside, RowError
from workers.core.tools.attachments import FILE_MAX_BYTES


def in_folder(folder: Path) -> Beside:
    """Files of `folder` and of the folders in it. A link to elsewhere is refused: the rows may be a
    stranger's."""
    inside = folder.resolve()

    def read(name: str) -> bytes:
        try:
            path = (inside / name).resolve()
            if not path.is_relative_to(inside):
                raise RowError(f"its file “{name[:80]}” lies outside of the rows' folder")
            if not path.is_file():
                raise not_beside(name)
            return checked(name, path)
        except (OSError, RuntimeError) as error:  # RuntimeError: links that lead to each other
            why = getattr(error, "strerror", None) or error
            raise RowError(f"its file “{name[:80]}” can't be read: {why}") from error

    return read


def checked(name: str, path: Path) -> bytes:
    """The content of a file that comes with a question. Raises RowError, OSError."""
    size = path.stat().st_size
    if not size:
        raise RowError(f"its file “{name[:80]}” is empty")
    if size > FILE_MAX_BYTES:
        raise too_large(name)
    return path.read_bytes()


def not_beside(name: str) -> RowError:
    return RowError(f"its file “{name[:80]}” is not beside the rows")


def too_large(name: str) -> RowError:
    return RowError(f"its file “{name[:80]}” has more than {FILE_MAX_BYTES / 1e6:.0f} MB")
