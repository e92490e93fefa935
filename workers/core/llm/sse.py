"""Parses server-sent events: bytes in, data out, for any chunk boundaries."""

MAX_EVENT_BYTES = 1_000_000
_ERROR_NAMES = frozenset({b"error", b"exception"})


class SSETooLong(ValueError):
    """A single event longer than MAX_EVENT_BYTES."""


class ErrorEvent(bytes):
    """The data of an event that is named `error`."""


class SSEParser:
    """Takes chunks as they come from the socket and returns the data of each complete event.

    Lines end in LF, CRLF or CR. Several `data:` lines of an event are joined by LF. Of an event's
    name only `error` counts. Other fields and comments are skipped. Work is linear in the bytes: an
    unfinished line is kept as a list of its pieces. (WHATWG HTML, "Server-sent events".)
    """

    __slots__ = ("_cr", "_data", "_failed", "_pieces", "_size")

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._data: list[bytes] = []
        self._size = 0
        self._cr = self._failed = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Data of the events that this chunk completes. Raises SSETooLong."""
        if self._cr and chunk:
            # the CR that ended the last chunk already ended its line: a LF now belongs to it
            chunk = chunk.removeprefix(b"\n")
            self._cr = False
        if b"\r" in chunk:
            self._cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = chunk.split(b"\n")
        if self._pieces and len(lines) > 1:
            self._pieces.append(lines[0])
            lines[0] = b"".join(self._pieces)
            self._pieces = []
        rest = lines.pop()
        events = self._take(lines)
        if rest:
            self._pieces.append(rest)
            self._grow(len(rest))
        return events

    def finish(self) -> list[bytes]:
        """The last event of a stream that ends without its blank line."""
        return self._take([b"".join(self._pieces), b""])

    def _take(self, lines: list[bytes]) -> list[bytes]:
        events: list[bytes] = []
        for line in lines:
            if not line:
                if self._data:
                    data = b"\n".join(self._data)
                    events.append(ErrorEvent(data) if self._failed else data)
                    self._data = []
                self._size, self._failed = 0, False
            elif line.startswith(b"event:"):
                self._failed = line[6:].strip().lower() in _ERROR_NAMES
            elif line.startswith(b"data:"):
                self._grow(len(line))
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
        return events

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > 2 * MAX_EVENT_BYTES:
            raise SSETooLong(f"an event is longer than {MAX_EVENT_BYTES} bytes")
