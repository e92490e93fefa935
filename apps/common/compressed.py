"""Long answers travel compressed: a training's curves are megabytes of JSON, and become a fifth."""

from collections.abc import Awaitable, Callable
from typing import cast

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.decorators import sync_and_async_middleware

LEAST = 1_400
"""Bytes. What fits into one packet arrives no sooner."""
LONG = 64_000
"""Bytes. More would hold up the event loop for some milliseconds."""

Get = Callable[[HttpRequest], HttpResponseBase]
AsyncGet = Callable[[HttpRequest], Awaitable[HttpResponseBase]]

# Its own call would go through a thread for every answer. It pads what it compresses by a random
# length, so that lengths tell nothing (BREACH).
_GZIP = GZipMiddleware(lambda request: HttpResponse())


@sync_and_async_middleware
def compressed(get_response: Get | AsyncGet) -> Get | AsyncGet:
    """Not what is streamed: events would wait for more of them."""
    if iscoroutinefunction(get_response):
        ask = cast(AsyncGet, get_response)

        async def answer_later(request: HttpRequest) -> HttpResponseBase:
            response = await ask(request)
            if _length(response) < LONG:
                return _packed(request, response)
            return await sync_to_async(_packed, thread_sensitive=False)(request, response)

        return answer_later
    now = cast(Get, get_response)
    return lambda request: _packed(request, now(request))


def _packed(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if _length(response) < LEAST:
        return response
    packed: HttpResponseBase = _GZIP.process_response(request, response)
    return packed


def _length(response: HttpResponseBase) -> int:
    return len(response.content) if isinstance(response, HttpResponse) else 0
