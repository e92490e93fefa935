"""The database from code on the event loop."""

from collections.abc import Callable
from typing import TypeVar

from asgiref.sync import sync_to_async

from apps.common.connections import connection_release

T = TypeVar("T")


async def in_thread(read: Callable[..., T], *arguments: object) -> T:
    """Run a database read off the loop; its connection goes back to the pool at once."""

    def reading() -> T:
        try:
            return read(*arguments)
        finally:
            connection_release()

    return await sync_to_async(reading, thread_sensitive=False)()
