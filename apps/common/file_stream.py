"""Files that are made while they are sent."""

from collections.abc import AsyncGenerator, Iterator
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import StreamingHttpResponse
from django.utils.translation import gettext_lazy as _

from apps.common.connections import connection_release
from apps.common.under_way import UnderWay

open_files = UnderWay(
    _("You have %(limit)s exports in progress, which is the limit."),
    code="too_many_exports",
    remedy=_("Wait until a download has finished, or cancel one."),
)


class FileStream(StreamingHttpResponse):
    """Sends the pieces of a generator that reads the database, one piece after the other. Under
    ASGI, Django alone would first make the whole list. The request's thread makes the pieces. If
    the browser leaves, the generator ends there.

    Between two pieces the thread holds no connection, so a slow reader keeps none from others. The
    generator may therefore hold nothing of the database, such as a cursor, while it yields.

    Raises ApplicationError (429) when the user already has as many exports in progress as allowed.
    """

    def __init__(self, pieces: Iterator[bytes], *, user_id: UUID, **options: object) -> None:
        open_files.require_room(user_id, settings.EXPORTS_PER_USER)
        super().__init__(pieces, **options)
        self._pieces = pieces
        self._user_id = user_id

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        with open_files.counted(self._user_id):
            try:
                while (piece := await sync_to_async(_next)(self._pieces)) is not None:
                    yield piece
            finally:
                close = getattr(self._pieces, "close", None)
                if close is not None:
                    await sync_to_async(close)()


def _next(pieces: Iterator[bytes]) -> bytes | None:
    try:
        return next(pieces, None)
    finally:
        connection_release()
