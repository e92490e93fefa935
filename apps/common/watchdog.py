"""Rounds of a watchdog: rows that a vanished worker holds, taken from it one at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Model, Q

from workers.core.events import Failure

log = logging.getLogger(__name__)

Held = TypeVar("Held", bound=Model)


def recover_each(
    locked: Callable[[Q], Held | None],
    take: Callable[[Held], str],
    give_up: Callable[[Held, Failure], None],
    *,
    limit: int,
) -> list[str]:
    """What `take` said of each row that `locked` gave for a condition, at most `limit`.

    One transaction per row. One that cannot be taken holds up no other: `give_up` fails it with as
    little as can be written, so that nobody waits for it for ever, and it counts as “failed”.
    Errors of the database are raised, since they are all rows' errors.
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
        except Exception as error:  # whatever is wrong with this one, the others go on
            if row is None:
                raise
            log.exception("%s %s could not be recovered", row._meta.verbose_name, row.pk)
            broken.append(row.pk)
            with transaction.atomic():
                give_up(row, _not_recoverable(error))
            outcomes.append("failed")
    return outcomes


def _not_recoverable(error: Exception) -> Failure:
    """The details go to the log, not to the browser: they may hold a query or a path."""
    return Failure(
        code="not_recoverable",
        message=(
            f"Its worker vanished, and it could not be given to another ({type(error).__name__})."
        ),
        remedy="An admin finds the cause in the watchdog's log. Then start it anew.",
    )
