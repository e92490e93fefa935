"""A server that wants to be asked later is asked a few times, each time later."""

import math
import time
from itertools import pairwise

import pytest

from workers.core.net import outbound
from workers.core.net.outbound import Fetched, patiently


class Server:
    """Answers with 429 until it is asked `well`, and says when to ask again."""

    def __init__(self, retry_after: str | None, well: int = 99) -> None:
        self.retry_after, self.well = retry_after, well
        self.asked: list[float] = []

    async def __call__(self) -> Fetched:
        self.asked.append(time.monotonic())
        status = 200 if len(self.asked) >= self.well else 429
        return Fetched("http://a.test/", status, "", b"", retry_after=self.retry_after)

    @property
    def waits(self) -> list[float]:
        return [after - before for before, after in pairwise(self.asked)]


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbound, "FIRST_WAIT", 0.02)
    monkeypatch.setattr(outbound, "LEAST_WAIT", 0.02)


@pytest.mark.parametrize("retry_after", ["0", "0.01", "-5", "nan", None, "soon"])
async def test_waits_double_whatever_it_says(retry_after: str | None) -> None:
    server = Server(retry_after)
    fetched = await patiently(server, until=math.inf)
    assert fetched.status == 429
    assert len(server.asked) == outbound.TRIES
    least = [0.02 * 2**number for number in range(outbound.TRIES - 1)]
    assert all(wait >= wanted for wait, wanted in zip(server.waits, least, strict=True))


async def test_it_waits_as_long_as_the_server_wants() -> None:
    server = Server("0.1", well=2)
    assert (await patiently(server, until=math.inf)).status == 200
    assert server.waits[0] >= 0.1


async def test_no_wait_goes_beyond_its_time() -> None:
    for server in (Server("3600"), Server("inf")):
        assert (await patiently(server, until=time.monotonic() + 1)).status == 429
        assert len(server.asked) == 1
