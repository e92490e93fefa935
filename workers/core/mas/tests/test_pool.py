import asyncio

import pytest

from workers.core.mas.pool import MessagePool
from workers.core.mas.tests.support import down


async def test_same_key_is_asked_once_and_flagged() -> None:
    pool: MessagePool[str] = MessagePool()
    asked: list[str] = []

    async def ask() -> str:
        asked.append("x")
        await asyncio.sleep(0)
        return "text"

    together = await asyncio.gather(*(pool.once("k", ask) for _ in range(5)))
    assert sorted(together) == [("text", False)] + [("text", True)] * 4
    assert await pool.once("k", ask) == ("text", True)
    assert await pool.once("other", ask) == ("text", False)
    assert len(asked) == 2


async def test_an_error_reaches_all_who_waited_and_is_forgotten() -> None:
    pool: MessagePool[str] = MessagePool()
    asked: list[str] = []

    async def fail() -> str:
        asked.append("x")
        await asyncio.sleep(0)
        raise down()

    async def work() -> str:
        return "text"

    results = await asyncio.gather(
        *(pool.once("k", fail) for _ in range(3)), return_exceptions=True
    )
    assert [getattr(result, "code", None) for result in results] == ["server_error"] * 3
    assert len(asked) == 1
    assert await pool.once("k", work) == ("text", False)


async def test_a_waiting_agent_asks_when_the_asking_one_is_cancelled() -> None:
    pool: MessagePool[str] = MessagePool()
    started = asyncio.Event()

    async def hang() -> str:
        started.set()
        await asyncio.Event().wait()
        return "never"

    async def work() -> str:
        return "text"

    first = asyncio.create_task(pool.once("k", hang))
    await started.wait()
    second = asyncio.create_task(pool.once("k", work))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == ("text", False)
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_cancelling_one_who_waits_disturbs_nobody() -> None:
    pool: MessagePool[str] = MessagePool()
    go = asyncio.Event()

    async def work() -> str:
        await go.wait()
        return "text"

    first = asyncio.create_task(pool.once("k", work))
    await asyncio.sleep(0)
    second = asyncio.create_task(pool.once("k", work))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.sleep(0)
    go.set()
    assert await first == ("text", False)
    with pytest.raises(asyncio.CancelledError):
        await second
