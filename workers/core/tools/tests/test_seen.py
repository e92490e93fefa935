"""What several agents ask at once is found once."""

import asyncio

import pytest

from workers.core.tools.seen import Seen


class Slow:
    """Finds "it" after `seconds`, the first `failing` times not."""

    def __init__(self, *, seconds: float = 0.01, failing: int = 0) -> None:
        self.seconds, self.failing, self.asked = seconds, failing, 0

    async def find(self) -> str:
        self.asked += 1
        number = self.asked
        await asyncio.sleep(self.seconds)
        if number <= self.failing:
            raise LookupError
        return "it"


async def test_who_comes_while_it_is_on_its_way_waits_for_it() -> None:
    seen, slow = Seen[str](), Slow()
    found = await asyncio.gather(*(seen.found("a", slow.find) for _ in range(3)))
    assert found == [("it", True), ("it", False), ("it", False)]
    assert slow.asked == 1
    assert await seen.found("b", slow.find) == ("it", True)


async def test_a_failure_is_told_to_one_and_the_next_asks_again() -> None:
    seen, slow = Seen[str](), Slow(failing=1)
    tries = (seen.found("a", slow.find) for _ in range(2))
    first, second = await asyncio.gather(*tries, return_exceptions=True)
    assert isinstance(first, LookupError)
    assert second == ("it", True)


async def test_who_leaves_takes_nothing_from_others() -> None:
    seen, slow = Seen[str](), Slow(seconds=0.05)
    leaving = asyncio.create_task(seen.found("a", slow.find))
    staying = asyncio.create_task(seen.found("a", slow.find))
    await asyncio.sleep(0.01)
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    assert await staying == ("it", True)
