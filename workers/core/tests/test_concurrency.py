from __future__ import annotations

import asyncio
import gc
import threading

import pytest

from workers.core.concurrency import cancel_all, to_its_end


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


async def test_a_task_that_takes_its_cancellation_for_something_else_is_cancelled_again() -> None:
    tries = 0

    async def connects() -> None:
        nonlocal tries
        while tries < 3:
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                tries += 1

    deaf, at_once = asyncio.create_task(connects()), asyncio.create_task(asyncio.sleep(30))
    await asyncio.sleep(0)
    await asyncio.wait_for(cancel_all([deaf, at_once]), 20)
    assert tries == 3
    assert deaf.done()
    assert at_once.cancelled()


async def test_nothing_to_cancel_takes_no_time() -> None:
    done = asyncio.create_task(asyncio.sleep(0))
    await done
    await cancel_all([])
    await cancel_all([done])


async def test_what_a_task_had_failed_with_is_looked_at_too() -> None:
    """Else Python tells of it in the log, as nobody's."""
    told: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, said: told.append(said["message"]))

    async def fails() -> None:
        raise OSError("the disk is full")

    for look in (True, False):
        failed = asyncio.create_task(fails())
        await asyncio.wait([failed])
        if look:
            await cancel_all([failed])
        del failed
        gc.collect()
        assert bool(told) is not look
