"""Vectors of texts, which a worker makes: the web process never loads a model."""

import logging
from collections.abc import Sequence
from hashlib import sha256
from time import monotonic, sleep

import numpy as np
from django.core.cache import cache
from django.utils.translation import gettext as _
from redis import RedisError
from rest_framework import status

from apps.common.connections import connection_release
from apps.common.errors import ApplicationError
from apps.common.queue import send
from workers.core.agents.scoring import Floats

log = logging.getLogger(__name__)

KEPT_SECONDS = 3_600
WAIT_SECONDS = 15.0
"""A worker that has embedded nothing yet loads the model first."""
LOOK_SECONDS = 0.05


def vectors_of(texts: Sequence[str]) -> Floats:
    """N texts → (N, D), L2-normalised, embedded by a worker. Results are kept in Redis for an hour.
    A request that waits here holds no database connection. Raises ApplicationError (503) if no
    worker answers in time."""
    keys = {vector_key(text): text for text in texts}
    try:
        found = cache.get_many(list(keys))
        if missing := [text for key, text in keys.items() if key not in found]:
            connection_release()
            if not send("workers.tasks.embeddings.texts_embed", missing, expires=WAIT_SECONDS):
                raise _unavailable(
                    _("The workers cannot be reached because Redis does not answer.")
                )
            found = _awaited(list(keys))
    except (RedisError, OSError) as error:
        log.warning("nothing can be embedded: %s", error)
        raise _unavailable(
            _("The workers cannot be reached because Redis does not answer.")
        ) from error
    rows = [np.frombuffer(found[vector_key(text)], dtype=np.float32) for text in texts]
    return np.stack(rows)


def vectors_keep(texts: Sequence[str], vectors: Floats) -> None:
    """Stores what a worker answers."""
    rows = zip(texts, np.asarray(vectors, dtype=np.float32), strict=True)
    cache.set_many({vector_key(text): row.tobytes() for text, row in rows}, timeout=KEPT_SECONDS)


def vector_key(text: str) -> str:
    return f"vector:{sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def _awaited(keys: Sequence[str]) -> dict[str, bytes]:
    until = monotonic() + WAIT_SECONDS
    while True:
        found: dict[str, bytes] = cache.get_many(list(keys))
        if len(found) == len(keys):
            return found
        if monotonic() > until:
            raise _unavailable(_("No worker embedded the text in time."))
        sleep(LOOK_SECONDS)


def _unavailable(message: str) -> ApplicationError:
    return ApplicationError(
        code="not_embedded",
        message=message,
        remedy=_("Try again in a moment. If it fails again, look at the studio's health."),
        status_code=status.HTTP_503_SERVICE_UNAVAILABLE,
        headers={"Retry-After": "10"},
    )
