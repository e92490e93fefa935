"""Rounds of a watchdog: rows that a vanished worker holds, taken from it one at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Model, Q

log = logging.getLogger(__name__)

Held = TypeVar("Held", bound=Model)


def recover_each(
    locked: Callable[[Q], Held | None], take: Callable[[Held], str], *, limit: int
) -> list[str]:
    """What `take` said of each row that `locked` gave for a condition, at most `limit`.

    One transaction per row: one that cannot be recovered is logged, counts as “broken”, and holds
    up no other. Errors of the database are raised, since they are all rows' errors.
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
        except Exception:  # whatever is wrong with this one, the others go on
            if row is None:
                raise
            log.exception("%s %s could not be recovered", row._meta.verbose_name, row.pk)
            broken.append(row.pk)
            outcomes.append("broken")
    return outcomes
