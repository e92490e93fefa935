import asyncio
import gc
import threading

import pytest

from workers.core.concurrency import Turns, cancel_all, to_its_end


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


class TestTurns:
    """With one turn, taken by somebody, while the others come to wait for it."""

    async def test_the_least_place_comes_next_and_of_equal_ones_who_asked_first(self) -> None:
        turns, told = Turns(1), list[str]()
        may_end = asyncio.Event()

        async def take(name: str, *place: int) -> None:
            async with turns.turn(*place):
                told.append(name)
                await may_end.wait()

        async with asyncio.TaskGroup() as group:
            for name, place in (("a", (9,)), ("b", (2, 1)), ("c", (2, 0)), ("d", (1,))):
                group.create_task(take(name, *place))
            group.create_task(take("e", 2, 0))
            await asyncio.sleep(0.01)
            assert told == ["a"]
            may_end.set()
        assert told == ["a", "d", "c", "e", "b"]

    async def test_no_more_than_so_many_at_once(self) -> None:
        turns, now, most = Turns(3), 0, 0

        async def take() -> None:
            nonlocal now, most
            async with turns.turn(0):
                now += 1
                most = max(most, now)
                await asyncio.sleep(0)
                now -= 1

        await asyncio.gather(*(take() for _ in range(20)))
        assert most == 3

    @pytest.mark.parametrize("given", [False, True])
    async def test_who_leaves_before_their_turn_or_with_it_takes_none_away(
        self, given: bool
    ) -> None:
        turns = Turns(1)
        got = list[str]()

        async def take(name: str) -> None:
            async with turns.turn(0):
                got.append(name)

        async with turns.turn(0):
            leaver = asyncio.create_task(take("leaver"))
            stayer = asyncio.create_task(take("stayer"))
            await asyncio.sleep(0)  # both wait
            if not given:
                leaver.cancel()
        leaver.cancel()  # where it is given, it is the leaver's by now, who has not run since
        await asyncio.wait_for(asyncio.wait([leaver, stayer]), 5)
        assert got == ["stayer"]
        assert leaver.cancelled()
        await asyncio.wait_for(take("another"), 5)
