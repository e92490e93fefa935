"""Rounds of a watchdog: it takes rows from vanished workers, one at a time."""

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Model, Q
from django.db.models.functions import Now

from workers.core.errors import Failure

log = logging.getLogger(__name__)

Held = TypeVar("Held", bound=Model)


def long_ago(column: str) -> Q:
    """Whether a time is so long past, by Postgres's clock, that a worker or a message counts as
    lost. None counts, too."""
    limit = Now() - timedelta(seconds=settings.RUN_LOST_AFTER_SECONDS)
    return Q(**{f"{column}__lt": limit}) | Q(**{column: None})


def recover_each(
    locked: Callable[[Q], Held | None],
    take: Callable[[Held], str],
    give_up: Callable[[Held, Failure], None],
    *,
    limit: int,
) -> list[str]:
    """What `take` returned for each row that `locked` gave for a condition, at most `limit`.

    Each row has its own transaction. A row that cannot be taken delays no other row: `give_up`
    fails it with as small a write as possible, so that no one waits for it for ever. It counts as
    “failed”. Errors of the database are raised, because they affect all rows.
    """
    outcomes: list[str] = []
    broken: list[object] = []
    while len(outcomes) < limit:
        row = None
        try:
            with transaction.atomic():
                row = locked(~Q(pk__in=broken))
                if row is None:
                    break
                outcomes.append(take(row))
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:  # a fault of this one must not stop the others
            if row is None:
                raise
            log.exception("%s %s could not be recovered", row._meta.verbose_name, row.pk)
            broken.append(row.pk)
            with transaction.atomic():
                give_up(row, _not_recoverable(error))
            outcomes.append("failed")
    return outcomes


def _not_recoverable(error: Exception) -> Failure:
    """The details go to the log, not to the browser: they may contain a query or a path."""
    return Failure(
        code="not_recoverable",
        message=(
            f"Its worker vanished, and no other worker could take it over ({type(error).__name__})."
        ),
        remedy="Start it again. An admin finds the cause in the watchdog's log.",
    )
