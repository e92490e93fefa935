"""A small pool and what is in it."""

from typing import Any

import pytest

from apps.roles import services
from apps.roles.models import RolePool
from apps.roles.publishing import pool_publish


def role_values(key: str, **more: Any) -> dict[str, Any]:
    texts = {"name": key.title(), "family": "mathematics", "description": f"Works as {key}."}
    return {"key": key, **texts, "prompt": f"You are {key}.\nCheck it.", **more}


@pytest.fixture
def draft(db: None) -> RolePool:
    """Three roles; nothing is published."""
    pool = services.pool_create(values={"key": "small", "name": "Small"})
    for key in ("solver", "checker", "writer"):
        services.role_create(pool=pool, values=role_values(key))
    return pool


@pytest.fixture
def published(draft: RolePool) -> RolePool:
    """The same, published."""
    pool_publish(pool=draft, by=None)
    return draft
