"""Periodic tasks that keep stored data correct."""

import logging
from dataclasses import asdict

from celery import shared_task
from django.conf import settings

from apps.llms.answers import answers_bound
from apps.runs import retention
from apps.runs.lifecycle import runs_recover
from apps.training.lifecycle import trainings_recover
from workers.tasks import stored_files

log = logging.getLogger(__name__)


@shared_task(name="workers.tasks.upkeep.watchdog", ignore_result=True)
def watchdog() -> dict[str, int]:
    """Queue runs again, or end them, if their worker or their message was lost. Deletes nothing."""
    return _noted("watchdog", asdict(runs_recover()))


@shared_task(name="workers.tasks.upkeep.trainings_watchdog", ignore_result=True)
def trainings_watchdog() -> dict[str, int]:
    """Do the same for trainings. Not on their queue: there it would wait for a training's end."""
    return _noted("trainings", asdict(trainings_recover()))


def _noted(watchdog: str, done: dict[str, int]) -> dict[str, int]:
    if any(done.values()):
        log.info("%s: %s", watchdog, ", ".join(f"{n} {what}" for what, n in done.items()))
    return done


@shared_task(name="workers.tasks.upkeep.answers_prune", ignore_result=True)
def answers_prune() -> int:
    """Keep the store of answers within its bounds. Return how many were deleted."""
    removed = answers_bound()
    if removed:
        log.info("removed the %d kept answers that were unused the longest", removed)
    return removed


@shared_task(name="workers.tasks.upkeep.runs_prune", ignore_result=True)
def runs_prune() -> int:
    """Delete runs that are older than the setting allows; none without a setting."""
    if not settings.RUNS_KEEP_DAYS:
        return 0
    removed = retention.runs_prune(settings.RUNS_KEEP_DAYS)
    if removed:
        log.info("removed %d runs older than %d days", removed, settings.RUNS_KEEP_DAYS)
    return removed


@shared_task(name="workers.tasks.upkeep.files_prune", ignore_result=True)
def files_prune() -> int:
    """Delete uploads of more than a day ago, and files that nothing needs any more."""
    removed = stored_files.files_prune()
    if removed:
        log.info("removed %d files of tasks that nothing needs any more", removed)
    return removed
