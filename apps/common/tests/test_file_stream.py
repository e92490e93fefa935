"""A file is made as it is read, also under ASGI."""

from __future__ import annotations

from collections.abc import Iterator

from apps.common.file_stream import FileStream


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
    response = FileStream(pieces())
    body = aiter(response)
    assert await anext(body) == b"\x00"
    assert (pieces.made, pieces.closed) == (1, False)
    assert [piece async for piece in body] == [b"\x01", b"\x02", b"\x03", b"\x04"]
    assert pieces.closed


async def test_who_leaves_ends_it() -> None:
    pieces = Pieces()
    body = FileStream(pieces()).__aiter__()
    await anext(body)
    await body.aclose()
    assert (pieces.made, pieces.closed) == (1, True)


def test_without_asgi_too() -> None:
    assert FileStream(Pieces()()).getvalue() == bytes(range(5))
