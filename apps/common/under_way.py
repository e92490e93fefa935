"""How many long responses each user may have in progress from this process."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.utils.functional import Promise

from apps.common.errors import ApplicationError


class UnderWay:
    """One kind of long response, such as exports. `message` names the `%(limit)s` for
    people; `code` is for programs.

    A response counts once it begins: one that is never read would otherwise be counted for ever.
    """

    def __init__(self, message: str | Promise, *, code: str, remedy: str | Promise) -> None:
        self._message = message
        self._code = code
        self._remedy = remedy
        self._counts: Counter[UUID] = Counter()
        self._lock = threading.Lock()

    def __contains__(self, user_id: UUID) -> bool:
        return user_id in self._counts

    def require_room(self, user_id: UUID, limit: int) -> None:
        """Raises ApplicationError (429) when the user already has as many as allowed."""
        if self._counts[user_id] >= limit:
            raise ApplicationError(
                code=self._code,
                message=str(self._message) % {"limit": limit},
                remedy=str(self._remedy),
                status_code=429,
                headers={"Retry-After": "10"},
            )

    @contextmanager
    def counted(self, user_id: UUID, limit: int | None = None) -> Iterator[None]:
        """With `limit`, there must be room at that moment: of two threads, one takes the last
        place."""
        with self._lock:
            if limit is not None:
                self.require_room(user_id, limit)
            self._counts[user_id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._counts[user_id] -= 1
                if not self._counts[user_id]:
                    del self._counts[user_id]
