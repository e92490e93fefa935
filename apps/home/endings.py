"""A person's trainings and evaluations that have ended, and runs that wait for them. They are read
from the jobs themselves, so none is forgotten, and a resumed job no longer counts as ended."""

import heapq
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from django.db.models import F, Max, Q
from django.db.models.functions import Greatest
from django.utils import timezone

from apps.accounts.models import User
from apps.evaluations.models import Evaluation
from apps.runs.control import PAUSED
from apps.runs.models import Run
from apps.training.models import TrainingJob

Kind = Literal["training", "evaluation"]
Job = TrainingJob | Evaluation
JOBS: tuple[tuple[Kind, type[Job]], ...] = (("training", TrainingJob), ("evaluation", Evaluation))

SHOWN = 20
KEPT = timedelta(days=30)
TOLD = ("succeeded", "failed")
"""Cancelled jobs are left out, because the person who cancels knows."""
NAME_CHARS = 120
"""Limit on the characters of a run's question."""


@dataclass(frozen=True, slots=True)
class Ending:
    """`at`: when it ended, or when the run of kind `run` began to wait."""

    kind: Kind | Literal["run"]
    id: UUID
    name: str
    status: str
    at: datetime
    seen: bool


def endings_of(user: User) -> list[Ending]:
    """The newest `SHOWN` of the last `KEPT`, the newest first."""
    since = timezone.now() - KEPT
    wanted = Q(created_by=user, status__in=TOLD, finished_at__gt=since)
    fields = ("id", "name", "status", "finished_at")
    seen_at = User.objects.values_list("endings_seen_at", flat=True).get(pk=user.pk)
    found: list[Ending] = []
    for kind, model in JOBS:
        newest = model._default_manager.filter(wanted).order_by("-finished_at")[:SHOWN]
        for job_id, name, status, at in newest.values_list(*fields):
            found.append(Ending(kind, job_id, name, status, at, seen=at <= seen_at))
    for run_id, query, at in _waiting(user, since):
        name = query[:NAME_CHARS]
        found.append(Ending("run", run_id, name, Run.Status.WAITING, at, seen=at <= seen_at))
    return heapq.nlargest(SHOWN, found, key=lambda ending: ending.at)


def _waiting(user: User, since: datetime) -> list[tuple[UUID, str, datetime]]:
    runs = Run.objects.filter(created_by=user, status=Run.Status.WAITING)
    paused = runs.annotate(paused_at=Max("events__at", filter=Q(events__kind=PAUSED)))
    newest = paused.filter(paused_at__gt=since).order_by("-paused_at")[:SHOWN]
    return list(newest.values_list("id", "query", "paused_at"))


def endings_see(*, user: User, until: datetime) -> None:
    """Marks all endings up to `until` as seen, on every page. Later endings stay unseen."""
    newest = min(until, timezone.now())
    User.objects.filter(pk=user.pk).update(endings_seen_at=Greatest(F("endings_seen_at"), newest))
