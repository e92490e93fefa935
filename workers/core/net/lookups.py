"""Looks up host names through the system. A name without an answer delays no other.

getaddrinfo can't be stopped: if a name's server is silent, it takes as long as the system waits,
half a minute or more. So every look-up has its own thread, outside the event loop's executor. The
process does not wait for it at its end, and the caller may leave.
"""

import asyncio
import socket
import threading
from collections.abc import Hashable
from concurrent.futures import Future
from typing import NamedTuple

from aiohttp.abc import AbstractResolver, ResolveResult

LIMIT = 64
NUMERIC = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV


class LookupsBusy(OSError):
    """The name was not looked up because too many look-ups are open."""


class LookupUnanswered(OSError):
    """No server answered with the name's addresses in time."""


class Name(NamedTuple):
    host: str
    port: int
    family: int


Addresses = list[tuple[int, int, str, str | int]]
"""Family, protocol, address and port of each."""


class Lookups:
    """At most `limit` names at once, at most `share` of them for the same `asker`. A name is not
    looked up twice at the same time. Any thread may ask."""

    def __init__(self, *, limit: int = LIMIT, share: int = LIMIT) -> None:
        self._limit = limit
        self._share = share
        self._lock = threading.Lock()
        self._running: dict[Name, tuple[Hashable, Future[Addresses]]] = {}

    def ask(self, name: Name, *, asker: Hashable = None) -> Future[Addresses]:
        """Raises LookupsBusy."""
        with self._lock:
            if name in self._running:
                return self._running[name][1]
            own = sum(each == asker for each, _ in self._running.values())
            if len(self._running) >= self._limit or own >= self._share:
                raise LookupsBusy
            answer: Future[Addresses] = Future()
            answer.set_running_or_notify_cancel()  # who leaves does not take it from the others
            thread = threading.Thread(
                target=self._look_up, args=(name, answer), name="look-up", daemon=True
            )
            try:
                thread.start()
            except RuntimeError as error:  # the system has no thread left
                raise LookupsBusy from error
            self._running[name] = asker, answer
        return answer

    def _look_up(self, name: Name, answer: Future[Addresses]) -> None:
        try:
            found = _addresses(name)
        except Exception as error:
            self._over(name)
            answer.set_exception(error)
        else:
            self._over(name)
            answer.set_result(found)

    def _over(self, name: Name) -> None:
        with self._lock:
            del self._running[name]


class SystemResolver(AbstractResolver):
    """aiohttp's resolver over `Lookups`. Raises LookupUnanswered after `seconds`; None: no
    limit."""

    def __init__(
        self, lookups: Lookups, *, asker: Hashable = None, seconds: float | None = None
    ) -> None:
        self._lookups = lookups
        self._asker = asker
        self._seconds = seconds

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        looking = self._lookups.ask(Name(host, port, family), asker=self._asker)
        try:
            async with asyncio.timeout(self._seconds):
                found = await asyncio.wrap_future(looking)
        except TimeoutError as error:
            raise LookupUnanswered from error
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=int(number),
                family=family,
                proto=protocol,
                flags=NUMERIC,
            )
            for family, protocol, address, number in found
        ]

    async def close(self) -> None:
        """There is nothing to close."""


def _addresses(name: Name) -> Addresses:
    found = socket.getaddrinfo(
        name.host,
        name.port,
        family=name.family,
        type=socket.SOCK_STREAM,
        flags=socket.AI_ADDRCONFIG,
    )
    return [(family, protocol, *address[:2]) for family, _, protocol, _, address in found]
