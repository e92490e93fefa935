"""A file that is written and sent at the same time."""

import io
from typing import Any


class Pieces(io.RawIOBase):
    """A file that is only appended to, and forgets what was taken from it."""

    def __init__(self) -> None:
        super().__init__()
        self._written: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._written.append(piece)
        self._size += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._size

    def taken(self) -> bytes:
        pieces, self._written = self._written, []
        return b"".join(pieces)
