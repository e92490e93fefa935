"""Deletes old runs, if an admin sets `RUNS_KEEP_DAYS`. By default every run stays.

These always stay: a run that has not ended, an answer of an evaluation (its figures need it), and a
run with a note or a link.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Exists, Max, Min, OuterRef, QuerySet
from django.utils import timezone

from apps.runs.models import TERMINAL, Annotation, Run, Share

AT_ONCE = 500
"""Runs per transaction. Their events are about twenty times as many rows."""
ASKED_DAYS = 90
"""Days that a preview uses while every run is kept."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be deleted. `keep_days` 0: nothing is deleted, and `days` is only for the preview.

    `size_bytes` is an estimate: the runs' share of all runs, applied to the size of the tables.
    """

    keep_days: int
    days: int
    runs: int
    oldest: datetime | None
    newest: datetime | None
    size_bytes: int


def runs_spare(days: int) -> QuerySet[Run]:
    """Runs that ended more than `days` ago and that nothing needs."""
    of_run = {"run": OuterRef("pk")}
    return Run.objects.filter(
        ~Exists(Annotation.objects.filter(**of_run)),
        ~Exists(Share.objects.filter(**of_run)),
        status__in=TERMINAL,
        evaluation__isnull=True,
        finished_at__lt=timezone.now() - timedelta(days=days),
    )


def runs_preview(days: int | None = None) -> Preview:
    keep = settings.RUNS_KEEP_DAYS
    asked = days or keep or ASKED_DAYS
    told = runs_spare(asked).aggregate(
        runs=Count("pk"), oldest=Min("finished_at"), newest=Max("finished_at")
    )
    return Preview(keep, asked, **told, size_bytes=_share_of_tables(told["runs"]))


def runs_prune(days: int, *, limit: int = 20_000) -> int:
    """Deletes spare runs with their traces, at most `limit` of them. Returns how many."""
    removed = 0
    while removed < limit:
        with transaction.atomic():
            oldest = runs_spare(days).order_by("finished_at").values_list("pk", flat=True)
            wanted = min(AT_ONCE, limit - removed)
            taken = list(oldest.select_for_update(skip_locked=True)[:wanted])
            Run.objects.filter(pk__in=taken).delete()
        removed += len(taken)
        if not taken:
            break
    return removed


def _share_of_tables(count: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_total_relation_size('runs_run') + pg_total_relation_size('runs_runevent') "
            "+ pg_total_relation_size('runs_runagent') "
            "+ pg_total_relation_size('runs_runpicture'), (SELECT count(*) FROM runs_run)"
        )
        size, runs = cursor.fetchone()
    return int(size) * count // runs if runs else 0
