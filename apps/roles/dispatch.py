"""Enqueues what roles need done elsewhere, once the change is committed."""

from __future__ import annotations

import logging

from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def embeddings_enqueue(*, pool_id: int) -> None:
    """Fills in the missing role embeddings in a worker: the web process never loads a model."""

    def send() -> None:
        from workers.tasks.embeddings import pool_embed

        try:
            pool_embed.apply_async(args=(pool_id,), retry=False)
        except OperationalError:
            # No run waits for these vectors: it embeds the roles by itself.
            logger.warning("the broker is down: embeddings of pool %s come later", pool_id)

    transaction.on_commit(send)
