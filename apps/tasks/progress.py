"""Progress of an import or a composition of tasks, for the person who waits for it.

The sender makes up an id for an import and asks for progress by that id. Redis keeps it under the
user and the id, so others cannot see it. Without Redis there is no progress, and the import
continues as one without an id.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal, get_args
from uuid import UUID

from django.core.cache import cache
from django.utils.translation import gettext as _
from redis import RedisError

from apps.common.errors import ApplicationError, FieldError, conflict

Phase = Literal["downloading", "reading", "comparing", "composing", "storing", "finishing"]
"""In this order; an import may skip some. `downloading` and `reading` count bytes, the others
tasks: `comparing` those of the split and the file, `composing` composed ones, `storing` those that
are new, moved or removed, `finishing` all of the dataset, for its digest."""
PHASES: tuple[Phase, ...] = get_args(Phase)
Tell = Callable[[Phase, int, int], None]
"""Gets the phase, how much of it is done, and how much there is. An exception that it raises stops
the import."""

HEADER = "Import-Id"
PAUSE_SECONDS = 0.5
"""Seconds between two notes of a phase."""
KEPT_SECONDS = 600
"""Longer than any silent part of an import. After that, its process has died."""


def nobody(phase: Phase, done: int, total: int) -> None:
    """For imports without an id, whose progress is not asked for."""


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """`seconds`: how long the phase had taken at this point."""

    phase: Phase
    done: int
    total: int
    seconds: float


@contextmanager
def progress_told(user_id: UUID, header: str | None) -> Iterator[Tell]:
    """Progress of one import. `header` is its id, as the sender gave it; None: no one will ask.
    Raises ApplicationError, also when the import is stopped."""
    if header is None:
        yield nobody
        return
    key = _key(user_id, _import_id(header))
    try:
        yield _Teller(key)
    finally:
        with suppress(RedisError):
            cache.delete_many([key, _stop(key)])


def import_progress(user_id: UUID, import_id: UUID) -> ImportProgress | None:
    """None: the user has no such import in progress, or it has reported nothing yet."""
    with suppress(RedisError):
        kept = cache.get(_key(user_id, import_id))
        if isinstance(kept, ImportProgress):
            return kept
    return None


def import_stop(user_id: UUID, import_id: UUID) -> None:
    """The user's import stops at its next note and changes nothing. One that has ended, or is about
    to, stays as it is. Best effort: without Redis the import continues."""
    with suppress(RedisError):
        cache.set(_stop(_key(user_id, import_id)), True, KEPT_SECONDS)


class _Teller:
    """Writes a note where a phase begins and ends, and at most every half second in between. After
    a failure it writes no more: a Redis that hangs would delay the import with each note."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._phase: Phase | None = None
        self._began = self._noted = 0.0
        self._is_silent = False

    def __call__(self, phase: Phase, done: int, total: int) -> None:
        now = time.monotonic()
        if phase != self._phase:
            self._phase, self._began = phase, now
        elif done < total and now - self._noted < PAUSE_SECONDS:
            return
        self._noted = now
        if not self._is_silent:
            self._note(ImportProgress(phase, done, total, now - self._began))

    def _note(self, progress: ImportProgress) -> None:
        try:
            cache.set(self._key, progress, KEPT_SECONDS)
            is_stopped = cache.get(_stop(self._key)) is not None
        except RedisError:
            self._is_silent = True
            return
        if is_stopped:
            raise conflict(
                "import_stopped",
                _("This import was stopped before it ended. Nothing was changed."),
                _("Send it again."),
            )


def _import_id(header: str) -> UUID:
    try:
        return UUID(header)
    except ValueError as error:
        message = _("Give a UUID that you make up, a different one for each import.")
        raise ApplicationError.of_fields([FieldError(HEADER, "invalid", message)]) from error


def _key(user_id: UUID, import_id: UUID) -> str:
    return f"import-progress:{user_id}:{import_id}"


def _stop(key: str) -> str:
    return f"{key}:stop"
