"""The problems of a pool file: all at once, one sentence each."""

from collections.abc import Iterable
from typing import NamedTuple

MAX_ISSUES = 100
SHOWN_ISSUES = 5


class Issue(NamedTuple):
    """`path` is the place, such as `roles[3].prompt` (counted from 0), or `file` for the whole
    file."""

    path: str
    message: str


class PoolFormatError(ValueError):
    """The text is not a pool. `errors` has at most MAX_ISSUES; `total` counts all."""

    def __init__(self, errors: Iterable[Issue]) -> None:
        found = list(errors)
        self.total = len(found)
        self.errors: list[Issue] = found[:MAX_ISSUES]
        shown = [issue.message for issue in found[:SHOWN_ISSUES]]
        if self.total > SHOWN_ISSUES:
            shown.append(f"The file has {self.total - SHOWN_ISSUES} more problems.")
        super().__init__(" ".join(shown))


def path_text(location: tuple[int | str, ...]) -> str:
    """("roles", 3, "prompt") → `roles[3].prompt`; the empty location → `file`."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).removeprefix(".") or "file"
