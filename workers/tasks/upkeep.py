"""Chores that keep what is stored true."""

from __future__ import annotations

import logging
from dataclasses import asdict

from celery import shared_task

from apps.runs.lifecycle import runs_recover

log = logging.getLogger(__name__)


@shared_task(name="workers.tasks.upkeep.watchdog", ignore_result=True)
def watchdog() -> dict[str, int]:
    """Runs whose worker vanished, or whose message did: queued again, or ended. Deletes nothing."""
    done: dict[str, int] = asdict(runs_recover())
    if any(done.values()):
        log.info("watchdog: %s", ", ".join(f"{count} {what}" for what, count in done.items()))
    return done
