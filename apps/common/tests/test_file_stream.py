"""A file is made as it is read, also under ASGI."""

from collections.abc import Iterator
from contextlib import aclosing
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connection
from pytest_django import Settings

from apps.common.errors import ApplicationError
from apps.common.file_stream import FileStream, open_files
from apps.common.tests.connections import connection_is_free

USER = uuid4()


class Pieces:
    """`made` grows by one with every piece; `closed` once nobody reads on."""

    def __init__(self) -> None:
        self.made = 0
        self.closed = False

    def __call__(self) -> Iterator[bytes]:
        try:
            for number in range(5):
                self.made += 1
                yield bytes([number])
        finally:
            self.closed = True


async def test_piece_by_piece() -> None:
    pieces = Pieces()
    response = FileStream(pieces(), user_id=USER)
    body = aiter(response)
    assert await anext(body) == b"\x00"
    assert (pieces.made, pieces.closed) == (1, False)
    assert [piece async for piece in body] == [b"\x01", b"\x02", b"\x03", b"\x04"]
    assert pieces.closed


async def test_who_leaves_ends_it() -> None:
    pieces = Pieces()
    body = FileStream(pieces(), user_id=USER).__aiter__()
    await anext(body)
    await body.aclose()
    assert (pieces.made, pieces.closed) == (1, True)


def test_without_asgi_too() -> None:
    assert FileStream(Pieces()(), user_id=USER).getvalue() == bytes(range(5))


@pytest.mark.django_db(transaction=True)
def test_between_two_pieces_it_has_no_connection() -> None:
    def rows() -> Iterator[bytes]:
        for number in range(3):
            with connection.cursor() as cursor:
                cursor.execute("SELECT %s::text", [number])
                (text,) = cursor.fetchone()
            yield text.encode()

    async def read() -> tuple[bytes, list[bool]]:
        body, idle = b"", []
        async for piece in FileStream(rows(), user_id=USER):
            body += piece
            idle.append(await sync_to_async(connection_is_free)())
        return body, idle

    assert async_to_sync(read)() == (b"012", [True] * 3)


async def test_nobody_has_more_under_way_than_the_limit(settings: Settings) -> None:
    settings.EXPORTS_PER_USER = 2
    FileStream(Pieces()(), user_id=USER)  # what is never read does not count
    streams = [FileStream(Pieces()(), user_id=USER) for _ in range(2)]
    async with aclosing(aiter(streams[0])) as first, aclosing(aiter(streams[1])) as second:
        await anext(first)
        await anext(second)
        with pytest.raises(ApplicationError) as caught:
            FileStream(Pieces()(), user_id=USER)
        assert (caught.value.code, caught.value.status_code) == ("too_many_exports", 429)
        assert caught.value.remedy
        FileStream(Pieces()(), user_id=uuid4())
        await second.aclose()
        FileStream(Pieces()(), user_id=USER)
    assert USER not in open_files
