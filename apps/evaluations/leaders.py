"""The leading arm of each evaluation in a list, computed in SQL without reading its cells."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from uuid import UUID

from django.core.cache import cache
from django.db import connection
from redis import RedisError

from apps.common.serializers import Row
from apps.evaluations.models import ACTIVE, Evaluation
from workers.core.intervals import ShareSums, sums_interval

ENDED_SECONDS = 86_400
ACTIVE_SECONDS = 5
"""Seconds after which a running evaluation is computed again, however many people ask."""


def best_arms(evaluations: Sequence[Evaluation]) -> dict[UUID, Row | None]:
    """For each evaluation the arm with the highest accuracy, the first of equals; None: no answer
    is judged yet. As in a summary, a task that cannot be judged is left out for every arm.

    One statement for those that the cache does not have; without Redis it has none.
    """
    keys = {evaluation.id: _key(evaluation) for evaluation in evaluations if evaluation.done}
    kept: dict[str, dict[str, Row | None]] = {}
    with suppress(RedisError):
        kept = cache.get_many(keys.values())
    unknown = [evaluation for evaluation in evaluations if keys.get(evaluation.id, "") not in kept]
    found = _added_up([evaluation.id for evaluation in unknown if evaluation.done])
    for active, seconds in ((True, ACTIVE_SECONDS), (False, ENDED_SECONDS)):
        fresh = [one for one in unknown if one.done and (one.status in ACTIVE) == active]
        with suppress(RedisError):
            cache.set_many({keys[one.id]: {"best": found.get(one.id)} for one in fresh}, seconds)
    known = {pk: kept[key]["best"] for pk, key in keys.items() if key in kept}
    return {one.id: known[one.id] if one.id in known else found.get(one.id) for one in evaluations}


def _key(evaluation: Evaluation) -> str:
    if evaluation.status in ACTIVE:
        return f"evaluation-best:{evaluation.id}"
    ended = evaluation.finished_at.timestamp() if evaluation.finished_at else 0
    return f"evaluation-best:{evaluation.id}:{evaluation.done}:{ended}"


def _added_up(ids: Sequence[UUID]) -> dict[UUID, Row]:
    if not ids:
        return {}
    best: dict[UUID, Row] = {}
    with connection.cursor() as cursor:
        cursor.execute(_STANDINGS, [list(ids), list(ids)])
        for evaluation_id, label, *sums in cursor.fetchall():
            arm = _standing(label, ShareSums(*sums))
            if evaluation_id not in best or arm["accuracy"] > best[evaluation_id]["accuracy"]:
                best[evaluation_id] = arm
    return best


def _standing(label: str, sums: ShareSums) -> Row:
    interval = sums_interval(sums)
    return {
        "label": label,
        "accuracy": sums.mean,
        "interval": asdict(interval) if interval else None,
    }


_STANDINGS = """
WITH unjudged AS (
    SELECT task_id FROM evaluations_evaluationresult
    WHERE evaluation_id = ANY(%s) AND recorded_at IS NOT NULL AND correct IS NULL
), shares AS (
    SELECT arm_id, task_id, count(*) AS n,
        count(*) FILTER (WHERE correct AND NOT failed)::float8 / count(*) AS share
    FROM evaluations_evaluationresult
    WHERE evaluation_id = ANY(%s) AND recorded_at IS NOT NULL
        AND task_id NOT IN (SELECT task_id FROM unjudged)
    GROUP BY arm_id, task_id
)
SELECT arm.evaluation_id, arm.label, count(*), sum(share), sum(share * share), sum(n)::bigint
FROM shares JOIN evaluations_evaluationarm arm ON arm.id = arm_id
GROUP BY arm.id ORDER BY arm.evaluation_id, arm.index
"""
