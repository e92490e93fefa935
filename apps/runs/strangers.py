"""What somebody without an account sees of a shared run: what is named here, and nothing else.

Whoever adds a field to runs or to their events decides here whether strangers see it. They see the
question and its reference answer, every prompt and message, and the names of model, endpoint, pool
and checkpoint. Nobody who works here is named, nothing leads to anything else, and of what failed
the kind alone is told, since the whole sentence may hold an address or what a provider answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from uuid import UUID

import orjson
from django.db import connection

from apps.runs.selectors import Row, StoredEvent, run_row

Shape: TypeAlias = "Mapping[str, Shape] | Callable[[Any], Any]"
"""Of a value in JSON: the names that pass, or what is made of the whole. Lists are of one shape."""


def shared_row(run_id: UUID) -> Row:
    """The run as strangers see it."""
    row = {name: value if name in PUBLIC else None for name, value in run_row(run_id).items()}
    settings = _settings(row["method_config"])
    return {**row, "notes": [], "failure": _kind_alone(row["failure"]), "method_config": settings}


def role_names(run_id: UUID) -> dict[str, str]:
    """By key, of the roles that the run had or chose among, as they were called in its pool."""
    with connection.cursor() as cursor:
        cursor.execute(_ROLE_NAMES, {"run_id": run_id})
        return dict(cursor.fetchall())


def for_strangers(event: StoredEvent) -> StoredEvent:
    """Of an event of a kind that is not named: that it was, and when."""
    shape = {**OF_EVERY_EVENT, **OF_EVENTS.get(event.kind, {})}
    payload = orjson.dumps(_shown(orjson.loads(event.payload), shape))
    return StoredEvent(event.position, event.kind, payload)


_ROLE_NAMES = """
WITH occurring AS (
    SELECT jsonb_array_elements(payload -> 'candidates') ->> 'action' AS key
    FROM runs_runevent WHERE run_id = %(run_id)s AND kind = 'node_sampled'
    UNION
    SELECT jsonb_array_elements(graph -> 'nodes') ->> 'role_key'
    FROM runs_run WHERE id = %(run_id)s
)
SELECT role ->> 'key', role ->> 'name' FROM runs_run r
JOIN roles_poolversion v ON v.id = r.pool_version_id
CROSS JOIN LATERAL jsonb_array_elements(v.spec -> 'roles') role
WHERE r.id = %(run_id)s AND role ->> 'key' IN (SELECT key FROM occurring)
"""

PUBLIC = frozenset(
    {
        "id",
        "status",
        "attempt",
        "max_attempts",
        "method",
        "method_config",
        "endpoint_key",
        "pool_version__key",
        "pool_version__version",
        "checkpoint",
        "seed",
        "query",
        "reference",
        "answer",
        "message",
        "correct",
        "reward",
        "failure",
        "graph",
        "agent_count",
        "prompt_tokens",
        "completion_tokens",
        "cost",
        "seconds",
        "replies",
        "cut_replies",
        "cut_agents",
        "final_cut",
        "created_at",
        "started_at",
        "finished_at",
        "cancel_requested_at",
        "budget",
    }
)

HARMLESS = frozenset({"budget_exceeded", "no_input"})
"""Codes of failures whose sentences hold numbers and names of agents, and nothing else."""


def _shown(value: Any, shape: Shape) -> Any:
    """Also where something else is stored than the shape says, no more than it names."""
    if callable(shape):
        return shape(value)
    if isinstance(value, list):
        return [_shown(each, shape) for each in value]
    if isinstance(value, dict):
        return {name: _shown(value[name], part) for name, part in shape.items() if name in value}
    return None


def _whole(*names: str) -> dict[str, Shape]:
    return dict.fromkeys(names, lambda value: value)


def _nobody(value: Any) -> str:
    return ""


def _kind_alone(failure: dict[str, Any] | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    code = str(failure["code"])
    if code in HARMLESS:
        return {name: failure.get(name, "") for name in ("code", "message", "remedy")}
    kind = code.replace("_", " ")
    return {"code": code, "message": f"It failed: {kind}.", "remedy": ""}


def _codes(tries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a server answered may name it."""
    return [{"code": each["code"], "message": ""} for each in tries]


def _settings(config: Any) -> dict[str, Any]:
    """Of a method's options those that are one value or a list of such; of a design who reads whom,
    since it holds prompts that may never have been sent."""
    if not isinstance(config, dict):
        return {}
    plain = {name: value for name, value in config.items() if _is_plain(value)}
    drawn: dict[str, Any] = _shown(config, {"graph": _GRAPH})
    return plain | drawn


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return not any(isinstance(each, list | dict) for each in value)
    return not isinstance(value, dict)


OF_EVERY_EVENT = _whole("event", "at")

_USAGE = _whole("prompt_tokens", "completion_tokens", "cost")
_USED: dict[str, Shape] = {"usage": _USAGE, **_whole("seconds")}
_GRAPH: dict[str, Shape] = {
    # A role's prompt is shown where it was sent.
    "nodes": {"role": _whole("key", "name", "family"), **_whole("id", "endpoint", "round")},
    "edges": _whole("source", "target"),
}

OF_EVENTS: dict[str, dict[str, Shape]] = {
    "run_started": _whole(
        "method",
        "query",
        "seed",
        "endpoint",
        "model",
        "pool",
        "pool_version",
        "checkpoint",
        "trained",
    ),
    "graph_planned": {"graph": _GRAPH},
    "node_sampled": {
        "candidates": _whole("action", "probability", "masked"),
        **_whole("step", "kind", "choice", "log_probability", "greedy", "agent_id", "out_of_scope"),
    },
    "edges_sampled": {
        "candidates": _whole("source", "probability", "chosen"),
        "back": _whole("target", "probability", "chosen"),
        **_whole("step", "agent_id", "log_probability"),
    },
    "revision_asked": _whole("step", "agent_id", "revises", "sender", "reads", "round"),
    "subtasks_planned": {
        "task_graph": {"subtasks": _whole("id", "text", "depends_on", "reference")},
        "usage": _USAGE,
        **_whole("planner", "repaired", "truncated"),
    },
    "planner_asked": _whole("endpoint", "model", "ordinal"),
    "plan_rejected": {
        "usage": _USAGE,
        **_whole("endpoint", "ordinal", "reply", "problem", "remedy", "truncated"),
    },
    "candidates_scored": {
        "candidates": _whole(
            "agent_id",
            "role_key",
            "endpoint",
            "inner_product",
            "similarity",
            "performance",
            "exploration",
            "score",
            "reward",
            "cost",
            "count",
        ),
        **_whole("subtask", "selections", "nearest", "threshold"),
    },
    # What a judge's server answered may name it.
    "subtask_answered": {
        "rewards": _whole("agent_id", "value", "reason"),
        "groups": _whole("answer", "agent_ids"),
        **_whole("subtask", "agent_id", "answer", "correct", "solved"),
    },
    "agent_started": _whole(
        "agent_id",
        "role_key",
        "role_name",
        "family",
        "reads",
        "endpoint",
        "prompt",
        "summary",
    ),
    "tool_called": _whole("agent_id", "call_id", "tool", "arguments", "truncated"),
    "tool_returned": _whole("agent_id", "call_id", "tool", "ok", "output", "seconds"),
    "agent_finished": {
        **_USED,
        "failed_tries": _codes,
        **_whole(
            "agent_id",
            "message",
            "thoughts",
            "answer",
            "refused",
            "calls",
            "retries",
            "cached_calls",
            "cached",
            "reused",
            "truncated",
            "cut_calls",
            "token_limit",
            "limited_by",
            "own_temperature",
            "given",
        ),
    },
    "agent_failed": {
        "failure": _kind_alone,
        "failed_tries": _codes,
        **_USED,
        **_whole("agent_id", "written", "cut_calls"),
    },
    "intermediate_answer": {
        "groups": _whole("answer", "agent_ids"),
        **_whole("step", "answer", "agent_id"),
    },
    "answer_verified": _whole("verifier", "correct", "reward", "explanation"),
    "attempt_lost": {
        "failure": _kind_alone,
        "spent": _whole("tokens", "cost", "seconds", "unknown"),
        **_whole("will_retry"),
    },
    "run_paused": {"graph": _GRAPH, **_USED, **_whole("waiting_for", "asked")},
    "run_finished": {"graph": _GRAPH, **_USED, **_whole("answer", "message")},
    "run_failed": {"failure": _kind_alone, **_USED},
    "run_cancelled": {"by": _nobody, **_USED},
}
"""By kind, beside what every event has."""
