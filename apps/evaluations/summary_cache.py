"""Summaries that many people ask for, computed once at a time.

A summary describes the moment when `done` cells were recorded, the last of them at a certain time.
It is kept until there is another one. While an evaluation runs, that is about every second, and a
large summary takes seconds. Then a summary is kept PAUSE times as long as it took, and requests
during the next computation get the last one. Without Redis none is kept, and each request computes
its own.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from uuid import uuid4

from django.core.cache import cache
from django.db.models import Max
from redis import RedisError

from apps.common.connections import connection_release
from apps.evaluations.models import ACTIVE, Evaluation

log = logging.getLogger(__name__)

Summary = dict[str, Any]

PAUSE = 10
"""While an evaluation runs, its statistics take at most one tenth of the time of one process."""
KEPT_SECONDS = 3_600
FLIGHT_SECONDS = 120
"""After this, the process that computes it counts as dead."""
WAIT_SECONDS = 20.0
"""Shorter than a browser's timeout. A request that has waited this long computes it itself."""
POLL_SECONDS = 0.1
FORMAT = 5
"""Must change whenever the content of a summary changes."""


def summary_of(evaluation: Evaluation, work_out: Callable[[], Summary]) -> Summary:
    """The kept summary, or else the result of `work_out`. A request that waits for another's work
    holds no database connection."""
    moment = _moment(evaluation)
    connection_release()
    try:
        return _shared(evaluation, moment, work_out)
    except RedisError as error:
        log.warning(
            "the summary of %s is worked out alone, Redis is away: %s", evaluation.id, error
        )
        return work_out()


def _shared(evaluation: Evaluation, moment: str, work_out: Callable[[], Summary]) -> Summary:
    key = f"evaluation-summary:{FORMAT}:{evaluation.id}"
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        kept = cache.get(key)
        if kept is not None and _good_enough(kept, evaluation, moment):
            return _told(kept)
        mine = uuid4().hex
        if cache.add(f"{key}:flight", mine, FLIGHT_SECONDS):
            try:
                return _worked_out(key, evaluation, moment, work_out)
            finally:
                _land(f"{key}:flight", mine)
        if kept is not None and evaluation.status in ACTIVE:
            return _told(kept)
        if time.monotonic() > deadline:
            return work_out()
        time.sleep(POLL_SECONDS)


def _land(flight: str, mine: str) -> None:
    with suppress(RedisError):
        if cache.get(flight) == mine:  # else it took so long that another set out
            cache.delete(flight)


def _worked_out(
    key: str, evaluation: Evaluation, moment: str, work_out: Callable[[], Summary]
) -> Summary:
    # Whoever was at it before may have ended since this one looked.
    kept = cache.get(key)
    if kept is not None and _good_enough(kept, evaluation, moment):
        return _told(kept)
    began = time.time()
    summary = work_out()
    now = time.time()
    fresh_until = now + PAUSE * (now - began)
    kept = {"moment": moment, "fresh_until": fresh_until, "summary": summary}
    with suppress(RedisError):
        cache.set(key, kept, KEPT_SECONDS)
    return summary


def _good_enough(kept: dict[str, Any], evaluation: Evaluation, moment: str) -> bool:
    if kept["moment"] == moment:
        return True
    return evaluation.status in ACTIVE and time.time() < float(kept["fresh_until"])


def _moment(evaluation: Evaluation) -> str:
    latest = evaluation.results.aggregate(latest=Max("recorded_at"))["latest"]
    return f"{evaluation.done}:{latest.timestamp() if latest else 0}"


def _told(kept: dict[str, Any]) -> Summary:
    summary: Summary = kept["summary"]
    return summary
