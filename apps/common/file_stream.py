"""Files that are made while they are sent."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse


class FileStream(StreamingHttpResponse):
    """Pieces from a generator that reads the database, one at a time also under ASGI, where Django
    would first make the whole list. They are made in the thread of the request, which has the
    connection; a browser that leaves ends the generator there."""

    def __init__(self, pieces: Iterator[bytes], **options: object) -> None:
        super().__init__(pieces, **options)
        self._pieces = pieces

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        try:
            while (piece := await sync_to_async(_next)(self._pieces)) is not None:
                yield piece
        finally:
            close = getattr(self._pieces, "close", None)
            if close is not None:
                await sync_to_async(close)()


def _next(pieces: Iterator[bytes]) -> bytes | None:
    return next(pieces, None)
