"""Sends a request to a person's address: bounded in size, checked at every redirect."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from workers.core.net.guard import AddressRefused, RedirectRefused, check_url, guarded_session

REDIRECTS = frozenset({301, 302, 303, 307, 308})
LIMITED = frozenset({429, 503})
"""Answers of a server that wants to be asked later."""
TRIES = 6
FIRST_WAIT, LEAST_WAIT = 1.0, 0.25
"""Seconds until the second try: where the server names none, and where it names fewer."""
SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization", "x-api-key"})
MAX_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Fetched:
    """`truncated`: there was more than `max_bytes`. `location` is where a redirect points to.
    `charset` and `retry_after` are what the headers say of the encoding and of when to ask again.
    """

    url: str
    status: int
    content_type: str
    body: bytes
    truncated: bool = False
    location: str | None = None
    charset: str = ""
    retry_after: str | None = None


class OutboundClient:
    """Guarded requests over one session. Use as `async with OutboundClient() as client`. `names`
    looks up names instead of the system.

    Raises AddressRefused (RedirectRefused after the first address), aiohttp.ClientError or
    TimeoutError.
    """

    def __init__(
        self,
        *,
        allow_private: bool = False,
        seconds: float = 20.0,
        names: AbstractResolver | None = None,
    ) -> None:
        self._allow_private = allow_private
        self._names = names
        self._timeout = aiohttp.ClientTimeout(total=seconds)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> OutboundClient:
        self._session = guarded_session(
            allow_private=self._allow_private, names=self._names, timeout=self._timeout
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: dict[str, str] | None = None,
        data: bytes | None = None,
        follow: int = 0,
        max_bytes: int = MAX_BYTES,
    ) -> Fetched:
        """Send, and follow up to `follow` redirects. Each hop is checked like the first.

        Secret headers go only to the first origin. With `follow=0` a redirect is the answer. With
        `max_bytes=0` it does not wait for the body.
        """
        headers = dict(headers or {})
        target = check_url(url, allow_private=self._allow_private)
        for hop in range(follow + 1):
            try:
                fetched = await self._once(method, target, headers, data, max_bytes)
            except AddressRefused as error:
                if hop == 0:
                    raise
                raise RedirectRefused(error.message, error.remedy) from error
            if fetched.location is None or not follow:
                return fetched
            following = self._next_hop(target, fetched.location)
            if following.origin() != target.origin():
                headers = {k: v for k, v in headers.items() if k.lower() not in SECRET_HEADERS}
            if fetched.status not in {307, 308}:
                method, data = ("HEAD" if method == "HEAD" else "GET"), None
            target = following
        raise RedirectRefused(
            f"The server redirects more than {follow} times.", "Enter the final address."
        )

    def _next_hop(self, target: URL, location: str) -> URL:
        try:
            following = str(target.join(URL(location)))
            return check_url(following, allow_private=self._allow_private)
        except ValueError as error:
            raise RedirectRefused(
                "The server redirects to an address that can't be read."
            ) from error
        except AddressRefused as error:
            raise RedirectRefused(error.message, error.remedy) from error

    async def _once(
        self, method: str, url: URL, headers: dict[str, str], data: bytes | None, max_bytes: int
    ) -> Fetched:
        if self._session is None:
            raise RuntimeError("OutboundClient is used inside `async with`")
        async with self._session.request(
            method, url, headers=headers, data=data, allow_redirects=False
        ) as response:
            body, truncated = await read_limited(response, max_bytes)
            location = response.headers.get("Location") if response.status in REDIRECTS else None
            return Fetched(
                str(url),
                response.status,
                response.content_type,
                body,
                truncated,
                location,
                response.charset or "",
                response.headers.get("Retry-After"),
            )


async def read_limited(response: aiohttp.ClientResponse, max_bytes: int) -> tuple[bytes, bool]:
    """At most `max_bytes` of the (decompressed) body, and whether there was more."""
    if max_bytes == 0:
        return b"", not response.content.at_eof()
    parts: list[bytes] = []
    size = 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > max_bytes:
            return b"".join(parts)[:max_bytes], True
    return b"".join(parts), False


async def patiently(ask: Callable[[], Awaitable[Fetched]], *, until: float) -> Fetched:
    """The answer to the first of at most `TRIES` requests that is not in `LIMITED`, or the last
    answer. It waits as long as the server wants, but at least twice as long as the time before: a
    server may always say “0”. No wait goes beyond `until`, a time of `time.monotonic`."""
    wait = 0.0
    for _ in range(TRIES - 1):
        fetched = await ask()
        asked = seconds_asked(fetched.retry_after)
        wanted = FIRST_WAIT if asked is None else max(asked, LEAST_WAIT)
        wait = max(wanted, 2 * wait)
        if fetched.status not in LIMITED or time.monotonic() + wait > until:
            return fetched
        await asyncio.sleep(wait)
    return await ask()


def seconds_asked(retry_after: str | None) -> float | None:
    """Of the header Retry-After: seconds, or a date."""
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None
