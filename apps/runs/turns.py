"""Decides whose run is next, so that many runs of one person leave threads for others.

`RUN_MAX_RUNNING` limits the runs of people in progress, over all workers. If n people have runs,
each gets 1/(n+1) of it, and at least one run, so the next person finds a share free. A run without
a turn stays queued until another run of its owner ends. Cells of evaluations have separate slots.
"""

from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Count, Q, QuerySet

from apps.runs.models import Run

TURNS_LOCK = 0x7475726E
"""One of Postgres's advisory locks: its holder gives turns to runs of people."""

_OF_PEOPLE = Q(evaluation__isnull=True)
_RUNNING = Q(status=Run.Status.RUNNING)
_UNDER_WAY = Q(status__in=(Run.Status.QUEUED, Run.Status.RUNNING))


def has_turn(run_id: UUID) -> bool:
    """Whether the run may begin now. No other run gets a turn until the transaction ends."""
    owners = Run.objects.filter(_OF_PEOPLE, id=run_id).values_list("created_by_id", flat=True)
    for owner in owners:
        if _free(owner) <= 0:  # of thousands that wait, most need not wait for the lock as well
            return False
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", (TURNS_LOCK,))
        return _free(owner) > 0
    return True


def followers(owner: UUID | None) -> list[UUID]:
    """The owner's oldest queued runs, as many as may begin now."""
    return due(Run.objects.filter(_OF_PEOPLE, status=Run.Status.QUEUED, created_by=owner))


def due(waiting: QuerySet[Run]) -> list[UUID]:
    """Each owner's oldest of these queued runs, as many as may begin now."""
    owners = list(waiting.order_by().values_list("created_by_id", flat=True).distinct())
    return [
        run_id
        for owner in owners
        for run_id in waiting.filter(created_by=owner)
        .order_by("created_at")
        .values_list("id", flat=True)[: max(0, _free(owner))]
    ]


def _free(owner: UUID | None) -> int:
    """How many more runs the owner may have in progress; negative if the share has shrunk."""
    theirs = Q(created_by=owner)
    counts = Run.objects.filter(_OF_PEOPLE & _UNDER_WAY).aggregate(
        running=Count("id", filter=_RUNNING & theirs),
        others=Count("created_by", filter=~theirs, distinct=True),
    )
    share: int = settings.RUN_MAX_RUNNING // (counts["others"] + 2)
    running: int = counts["running"]
    return max(1, share) - running
