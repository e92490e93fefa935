"""A small pool, what is in it, and clients that only have a token."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.services import token_create
from apps.roles import services
from apps.roles.models import RolePool
from apps.roles.publishing import pool_publish

TokenClient = Callable[..., APIClient]


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


@pytest.fixture
def with_token(cast: dict[str, User]) -> TokenClient:
    """A client that has a token of a person with some scopes, and no session."""

    def client_for(who: str, *scopes: str) -> APIClient:
        expires = timezone.now() + timedelta(days=1)
        _, secret = token_create(user=cast[who], name="t", scopes=list(scopes), expires_at=expires)
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
        return client

    return client_for
