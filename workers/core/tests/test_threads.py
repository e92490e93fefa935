from __future__ import annotations

import asyncio
import threading

import pytest

from workers.core.threads import to_its_end


async def test_it_returns_what_the_thread_does_and_raises_what_it_raises() -> None:
    assert await to_its_end(int, "7") == 7
    with pytest.raises(ValueError, match="seven"):
        await to_its_end(int, "seven")


async def test_cancelled_however_often_it_waits_for_the_thread() -> None:
    begun, may_end, ended = threading.Event(), threading.Event(), []

    def write() -> None:
        begun.set()
        may_end.wait(30)
        ended.append(True)
        raise OSError("the disk is full")  # who has left does not hear of it

    writing = asyncio.create_task(to_its_end(write))
    await asyncio.to_thread(begun.wait, 30)
    for _ in range(3):
        writing.cancel()
        await asyncio.wait([writing], timeout=0.05)
        assert not writing.done()
    may_end.set()
    await asyncio.wait([writing], timeout=30)
    assert ended
    assert writing.cancelled()
