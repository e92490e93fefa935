"""An endpoint, a pool of two roles, and requests that use them."""

from collections.abc import Callable
from typing import Any

import pytest
from celery import current_app
from pytest_django import Settings

from apps.accounts.models import User
from apps.llms.models import Endpoint
from apps.roles.models import RolePool
from apps.roles.publishing import pool_publish
from apps.roles.services import pool_create, role_create
from apps.roles.tests.conftest import draft, published
from apps.runs.models import Run
from apps.runs.requests import RunRequest
from apps.runs.services import run_cancel, run_create

__all__ = ["draft", "published"]


@pytest.fixture
def endpoint(db: None) -> Endpoint:
    return Endpoint.objects.create(
        key="stub", name="Stub", base_url="http://127.0.0.1:9/v1", model="stub", is_default=True
    )


@pytest.fixture
def pool(db: None) -> RolePool:
    pool = pool_create(values={"key": "small", "name": "Small", "is_default": True})
    for key in ("planner", "solver"):
        role_create(pool=pool, values=role_values(key))
    pool_publish(pool=pool, by=None)
    return pool


def role_values(key: str) -> dict[str, Any]:
    return {
        "key": key,
        "name": key.title(),
        "family": "maths",
        "description": f"Works as {key}.",
        "prompt": f"You are the {key}.",
    }


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of the runs handed to the broker; nothing executes them."""
    ids: list[str] = []
    monkeypatch.setattr(current_app, "send_task", lambda task, args, **_: ids.append(args[0]))
    return ids


@pytest.fixture
def make_run(cast: dict[str, User], endpoint: Endpoint, sent: list[str]) -> Callable[..., Run]:
    def make(user: str = "operator", **values: Any) -> Run:
        request = RunRequest(**{"query": "1 + 1?", "method": "direct", **values})
        return run_create(user=cast[user], request=request).row

    return make


@pytest.fixture
def stored(make_run: Callable[..., Run], cast: dict[str, User]) -> Callable[..., Run]:
    """A run of the operator, who has cancelled it."""

    def make(**values: Any) -> Run:
        return run_cancel(user=cast["operator"], run_id=make_run(**values).id, as_admin=False)

    return make


@pytest.fixture
def quick_watchdog(settings: Settings) -> None:
    settings.RUN_LOST_AFTER_SECONDS = 0.0
