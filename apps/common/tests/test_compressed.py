"""What travels compressed, and what does not."""

from collections.abc import AsyncIterator, Iterator
from typing import cast

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import RequestFactory

from apps.accounts.tests.cast import AsUser
from apps.common.compressed import LEAST, LONG, AsyncGet, Get, compressed

GZIP = {"Accept-Encoding": "br, gzip"}
ZIPPED = b"\x1f\x8b"


@pytest.mark.django_db
def test_a_long_answer_of_the_api_is_compressed_for_those_who_read_that(as_user: AsUser) -> None:
    client = as_user("viewer")
    plain = client.get("/api/methods")
    packed = client.get("/api/methods", headers=GZIP)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert packed.content.startswith(ZIPPED)
    assert int(packed.headers["Content-Length"]) == len(packed.content) < len(plain.content) / 3
    assert packed.headers["Cache-Control"] == "no-store"


def asked() -> HttpRequest:
    return RequestFactory().get("/", headers=GZIP)


def now(answer: HttpResponseBase) -> HttpResponse:
    return cast(HttpResponse, cast(Get, compressed(lambda _: answer))(asked()))


async def later(answer: HttpResponseBase) -> HttpResponse:
    async def get(_: HttpRequest) -> HttpResponseBase:
        return answer

    return cast(HttpResponse, await cast(AsyncGet, compressed(get))(asked()))


@pytest.mark.parametrize(("length", "packed"), [(LEAST - 1, False), (LEAST, True), (LONG, True)])
async def test_short_answers_stay_as_they_are(length: int, packed: bool) -> None:
    content = b"a" * length
    both = (now(HttpResponse(content)), await later(HttpResponse(content)))
    assert [each.content.startswith(ZIPPED) for each in both] == [packed, packed]


def test_what_is_compressed_already_is_left_alone() -> None:
    response = HttpResponse(b"b" * LONG, headers={"Content-Encoding": "br"})
    assert now(response).content == b"b" * LONG


async def test_a_stream_is_not_held_up() -> None:
    async def events() -> AsyncIterator[bytes]:
        yield b"data: 1\n\n" * LEAST

    def lines() -> Iterator[bytes]:
        yield b"a,b\n" * LEAST

    streamed = await later(StreamingHttpResponse(events(), content_type="text/event-stream"))
    assert "Content-Encoding" not in streamed.headers
    assert [each async for each in streamed] == [b"data: 1\n\n" * LEAST]  # type: ignore[attr-defined]
    assert b"".join(now(StreamingHttpResponse(lines()))) == b"a,b\n" * LEAST
