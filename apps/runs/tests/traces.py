"""Stored events, and runs in which agents took turns."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max
from django.utils import timezone

from apps.roles.models import RolePool
from apps.runs.models import Run, RunAgent, RunEvent


def tell(
    run: Run, kind: str, *, attempt: int = 1, at: datetime | None = None, **payload: Any
) -> RunEvent:
    """Stores the next event of an attempt."""
    last = RunEvent.objects.filter(run=run, attempt=attempt).aggregate(last=Max("seq"))["last"]
    return RunEvent.objects.create(
        run=run,
        attempt=attempt,
        seq=(last or 0) + 1,
        kind=kind,
        payload={"event": kind, **payload},
        at=at or timezone.now(),
    )


def played(pool: RolePool, roles: Iterable[str], *, days_ago: int = 0, **values: Any) -> Run:
    """A run of the pool in which these roles took a turn each."""
    run = Run(method="mashost", endpoint_key="e", query="?", pool_version=pool.published)
    ended = {"status": "succeeded", "finished_at": timezone.now()}
    for name, value in {"endpoint_spec": {}, **ended, **values}.items():
        setattr(run, name, value)
    run.save()
    created = timezone.now() - timedelta(days=days_ago)
    Run.objects.filter(pk=run.pk).update(created_at=created)
    for key in roles:
        take_turn(run, key)
    return run


def spoke(said: Iterable[tuple[str, str]], **values: Any) -> Run:
    """A run in which each of these roles said this: of AT-GRPO, unless `values` say otherwise."""
    ended = {"status": "succeeded", "finished_at": timezone.now(), "attempt": 1}
    known = {"method": "at_grpo", "endpoint_key": "e", "endpoint_spec": {}, **ended}
    run = Run.objects.create(**known | values)
    number = 0
    for role, message in said:
        number += role != "designer"
        agent = f"a{number}" if role != "designer" else role
        tell(run, "agent_started", agent_id=agent, role_key=role)
        tell(run, "agent_finished", agent_id=agent, message=message)
    return run


def take_turn(run: Run, key: str, **values: Any) -> None:
    said = {"outcome": "answered", "prompt_tokens": 10, "completion_tokens": 5, "cost": 0.5}
    of = {"role_key": key, "role_name": key, "family": "law", "endpoint_key": "e", "seconds": 2.0}
    number = run.agents.count()
    RunAgent.objects.create(run=run, agent_id=f"a{number}", **{**said, **of, **values})
