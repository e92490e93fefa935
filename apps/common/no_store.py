"""Responses of the API hold what one person may see, so no browser, proxy or disk may keep them."""

from collections.abc import Awaitable, Callable
from typing import cast

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

Get = Callable[[HttpRequest], HttpResponseBase]
AsyncGet = Callable[[HttpRequest], Awaitable[HttpResponseBase]]


@sync_and_async_middleware
def no_store(get_response: Get | AsyncGet) -> Get | AsyncGet:
    """A response that sets its own caching is left alone."""
    if iscoroutinefunction(get_response):
        ask = cast(AsyncGet, get_response)

        async def answer_later(request: HttpRequest) -> HttpResponseBase:
            return _marked(request, await ask(request))

        return answer_later
    now = cast(Get, get_response)
    return lambda request: _marked(request, now(request))


def _marked(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if request.path.startswith("/api/"):
        response.headers.setdefault("Cache-Control", "no-store")
    return response
