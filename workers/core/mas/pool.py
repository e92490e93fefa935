"""The message pool of one run: the same prompt is not asked twice.

The key is the exact prompt, its endpoint and its sampling. So agents of the same role with the same
query and the same predecessor messages share an answer, whatever their names. While the first call
is open, the others wait for it (single flight).
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from workers.core.llm.types import LLMError

R = TypeVar("R")


class MessagePool(Generic[R]):
    """Answers by key, for one run and one event loop."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, asyncio.Future[R]] = {}

    async def once(self, key: Hashable, ask: Callable[[], Awaitable[R]]) -> tuple[R, bool]:
        """`(answer, reused)`.

        All who waited for a call get its LLMError, which is then forgotten: a later agent asks
        again. If the asking agent is cancelled, one of those waiting asks in its place.
        """
        while (pending := self._answers.get(key)) is not None:
            await asyncio.wait([pending])
            if not pending.cancelled():
                return pending.result(), True
        return await self._ask(key, ask), False

    async def _ask(self, key: Hashable, ask: Callable[[], Awaitable[R]]) -> R:
        pending: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._answers[key] = pending
        try:
            answer = await ask()
        except BaseException as error:
            del self._answers[key]
            if isinstance(error, LLMError):
                pending.set_exception(error)
                pending.exception()  # an error nobody waited for is not worth a warning
            else:
                pending.cancel()
            raise
        pending.set_result(answer)
        return answer
