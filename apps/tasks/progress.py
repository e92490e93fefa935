"""How far an import is, or a composition of tasks, for whoever asked for it and waits.

The sender makes up an id for an import and asks for its progress by that id while it goes on. It is
kept in Redis under the user and the id, for others to find nothing; without Redis nobody is told,
and the import goes on as it does without an id.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal, get_args
from uuid import UUID

from django.core.cache import cache
from django.utils.translation import gettext as _
from redis import RedisError

from apps.common.errors import ApplicationError, FieldError

Phase = Literal["downloading", "reading", "comparing", "composing", "storing", "finishing"]
"""In this order; an import need not have them all. `downloading` and `reading` count bytes, the
others tasks: `comparing` those of the split and of the file, `composing` those that are made of
others, `storing` those that are new, move or go, `finishing` all of the dataset, for its digest."""
PHASES: tuple[Phase, ...] = get_args(Phase)
Tell = Callable[[Phase, int, int], None]
"""Told the phase, how much of it is done, and how much there is. What it raises breaks the import
off."""

HEADER = "Import-Id"
PAUSE_SECONDS = 0.5
"""Between two notes of a phase."""
KEPT_SECONDS = 600
"""Longer than any part of an import that tells nothing: then whoever was at it is dead."""


def nobody(phase: Phase, done: int, total: int) -> None:
    """Told by imports that nobody asks about."""


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """`seconds`: how long the phase had gone on when it was so far."""

    phase: Phase
    done: int
    total: int
    seconds: float


@contextmanager
def progress_told(user_id: UUID, header: str | None) -> Iterator[Tell]:
    """For one import. `header` is its id, as the sender says it; None: nobody will ask. Raises
    ApplicationError, where the import is stopped, too."""
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
    """None: the user has no such import under way, or it has told nothing yet."""
    with suppress(RedisError):
        kept = cache.get(_key(user_id, import_id))
        if isinstance(kept, ImportProgress):
            return kept
    return None


def import_stop(user_id: UUID, import_id: UUID) -> None:
    """An import of the user ends with its next note, and changes nothing; one that has ended, or is
    about to, stays as it is. Best effort: without Redis it goes on."""
    with suppress(RedisError):
        cache.set(_stop(_key(user_id, import_id)), True, KEPT_SECONDS)


class _Teller:
    """Notes where a phase begins and ends, and in between not more often than every half second.
    After a failure it is silent: a Redis that hangs would hold the import up with each note."""

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
            raise ApplicationError(
                code="import_stopped",
                message=_("This was stopped before its end. Nothing was changed."),
                remedy=_("Send it again."),
                status_code=409,
            )


def _import_id(header: str) -> UUID:
    try:
        return UUID(header)
    except ValueError as error:
        message = _("Give a UUID of your own making, another for each import.")
        raise ApplicationError.of_fields([FieldError(HEADER, "invalid", message)]) from error


def _key(user_id: UUID, import_id: UUID) -> str:
    return f"import-progress:{user_id}:{import_id}"


def _stop(key: str) -> str:
    return f"{key}:stop"
