"""What people without an account see of a shared run: only what this file names.

When a field is added to runs, this file decides whether strangers see it; for a field of an event,
the event's class decides. Strangers see the question with its files and its reference answer, every
prompt and message, and the names of model, endpoint, pool and checkpoint. What else holds:
`workers.core.events.shown`.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import orjson
from django.db import connection

from apps.checkpoints.models import Checkpoint
from apps.common.serializers import Row
from apps.corpora.addresses import ROOT, pages_origins
from apps.runs.selectors import StoredEvent, run_row
from workers.core.events import EVENTS
from workers.core.events.shown import GRAPH, Shape, kind_alone, whole

OF_EVERY_EVENT = whole("event", "at")


def shared_row(run_id: UUID) -> Row:
    """The run as strangers see it."""
    row = {name: value if name in PUBLIC else None for name, value in run_row(run_id).items()}
    settings = _settings(row["method_config"])
    return {**row, "notes": [], "failure": kind_alone(row["failure"]), "method_config": settings}


def trained_config(checkpoint: str) -> dict[str, Any]:
    """The default settings of runs with this checkpoint; {} if it is gone."""
    found = Checkpoint.objects.filter(name=checkpoint).values_list("run_config", flat=True)
    return _settings(found.first())


def role_names(run_id: UUID) -> dict[str, str]:
    """Names by key, for the roles that the run had or chose among, as they were in its pool."""
    with connection.cursor() as cursor:
        cursor.execute(
            _ROLE_NAMES,
            {"run_id": run_id, "kinds": list(ROLES_AT), "places": list(ROLES_AT.values())},
        )
        return dict(cursor.fetchall())


def origins(run_id: UUID) -> dict[str, str]:
    """Where the studio's own pages that agents read came from, by their paths: strangers can't open
    the pages themselves. Only those that the trace names."""
    with connection.cursor() as cursor:
        cursor.execute(_OWN_PAGES, {"run_id": run_id, "below": f"{ROOT}/%", "most": MOST_PAGES})
        return pages_origins([path for (path,) in cursor.fetchall()])


def for_strangers(event: StoredEvent) -> StoredEvent:
    """For an event whose kind shows nothing: only that it happened, and when."""
    shape = {**OF_EVERY_EVENT, **shown_of(event.kind)}
    payload = orjson.dumps(_shown(orjson.loads(event.payload), shape))
    return StoredEvent(event.position, event.kind, payload)


def shown_of(kind: str) -> Mapping[str, Shape]:
    """For an event of this kind, besides `OF_EVERY_EVENT`; nothing for an unknown kind."""
    return EVENTS[kind].shown if kind in EVENTS else {}


ROLES_AT = {kind: each.roles_at for kind, each in EVENTS.items() if each.roles_at}
_ROLE_NAMES = """
WITH occurring AS (
    SELECT jsonb_path_query(payload, place::jsonpath) #>> '{}' AS key
    FROM runs_runevent JOIN unnest(%(kinds)s::text[], %(places)s::text[]) AS at (kind, place)
        USING (kind)
    WHERE run_id = %(run_id)s
    UNION
    SELECT jsonb_array_elements(graph -> 'nodes') ->> 'role_key'
    FROM runs_run WHERE id = %(run_id)s
)
SELECT role ->> 'key', role ->> 'name' FROM runs_run r
JOIN roles_poolversion v ON v.id = r.pool_version_id
CROSS JOIN LATERAL jsonb_array_elements(v.spec -> 'roles') role
WHERE r.id = %(run_id)s AND role ->> 'key' IN (SELECT key FROM occurring)
"""

MOST_PAGES = 1_000
_OWN_PAGES = """
SELECT DISTINCT source ->> 'address'
FROM runs_runevent, jsonb_array_elements(payload -> 'sources') AS source
WHERE run_id = %(run_id)s AND kind = 'tool_returned' AND source ->> 'address' LIKE %(below)s
LIMIT %(most)s
"""

PUBLIC = frozenset(
    {
        *("id", "status", "attempt", "max_attempts", "seed", "budget", "failure", "seconds"),
        *("method", "method_config", "endpoint_key", "checkpoint"),
        *("pool_version__key", "pool_version__version"),
        *("query", "reference", "answer", "message", "correct", "reward", "graph"),
        *("task_details__answer_form", "task_details__metadata__files"),
        *("agent_count", "prompt_tokens", "completion_tokens", "cost"),
        *("replies", "cut_replies", "cut_agents", "final_cut"),
        *("created_at", "started_at", "finished_at", "cancel_requested_at"),
    }
)


def _shown(value: Any, shape: Shape) -> Any:
    """Shows no more than the shape names, even if something else is stored."""
    if callable(shape):
        return shape(value)
    if isinstance(value, list):
        return [_shown(each, shape) for each in value]
    if isinstance(value, dict):
        return {name: _shown(value[name], part) for name, part in shape.items() if name in value}
    return None


def _settings(config: Any) -> dict[str, Any]:
    """Of a method's options, those with one value or a list of values. Of a design, who reads whom,
    because it contains prompts that may never have been sent."""
    if not isinstance(config, dict):
        return {}
    plain = {name: value for name, value in config.items() if _is_plain(value)}
    drawn: dict[str, Any] = _shown(config, {"graph": GRAPH})
    return plain | drawn


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return not any(isinstance(each, list | dict) for each in value)
    return not isinstance(value, dict)
