"""Names are looked up by the system, and one that hangs leaves the loop's threads free."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from workers.core.net.guard import GuardedResolver
from workers.core.net.lookups import Lookups, LookupsBusy, LookupUnanswered, SystemResolver


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """No look-up ends before this is set."""
    over = threading.Event()

    def getaddrinfo(*arguments: Any, **options: Any) -> Any:
        over.wait(30)
        raise socket.gaierror(socket.EAI_NONAME, "not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield over
    over.set()


async def test_as_the_system_tells() -> None:
    resolver = GuardedResolver(allow_private=True)
    found = await resolver.resolve("localhost", 80)
    expected = socket.getaddrinfo("localhost", 80, type=socket.SOCK_STREAM)
    assert {each["host"] for each in found} <= {str(address[0]) for *_, address in expected}
    assert {(each["hostname"], each["port"]) for each in found} == {("localhost", 80)}
    with pytest.raises(OSError, match=r"."):
        await resolver.resolve("no such name.invalid")
    with pytest.raises(UnicodeError):
        await resolver.resolve("x" * 70)


async def test_who_waits_in_vain_leaves_and_the_loops_threads_stay_free(
    hanging: threading.Event,
) -> None:
    lookups = Lookups(limit=40)
    names = [f"silent{number}.example" for number in range(40)]
    resolver = SystemResolver(lookups, seconds=0.05)
    answers = await asyncio.gather(*map(resolver.resolve, names), return_exceptions=True)
    assert {type(each) for each in answers} == {LookupUnanswered}
    async with asyncio.timeout(5):
        assert await asyncio.to_thread(lambda: "free") == "free"
    with pytest.raises(LookupsBusy):
        await resolver.resolve("another.example")
    hanging.set()
    async with asyncio.timeout(5):
        while lookups._running:  # noqa: ASYNC110  threads end it
            await asyncio.sleep(0.01)
    with pytest.raises(socket.gaierror):
        await resolver.resolve("another.example")
