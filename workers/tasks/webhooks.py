"""Telling webhooks of what has ended.

webhooks_tell()     every few seconds: what ended is found, what is due is sent
deliveries_sweep()  every hour: what was sent long ago is forgotten
"""

from __future__ import annotations

import logging

from celery import shared_task

from apps.webhooks import delivering
from apps.webhooks.finding import endings_find
from apps.webhooks.selectors import any_active

log = logging.getLogger(__name__)


@shared_task(name="workers.tasks.webhooks.webhooks_tell", ignore_result=True)
def webhooks_tell() -> int:
    """One round; returns how many deliveries were tried. Any number of rounds at once are fine, and
    where nobody has a webhook one is a single look-up."""
    if not any_active():
        return 0
    if found := endings_find():
        log.info("webhooks: %d endings to tell of", found)
    return delivering.deliveries_send()


@shared_task(name="workers.tasks.webhooks.deliveries_sweep", ignore_result=True)
def deliveries_sweep() -> int:
    """Returns how many went."""
    removed = delivering.deliveries_sweep()
    if removed:
        log.info("removed %d deliveries of webhooks that ended long ago", removed)
    return removed
