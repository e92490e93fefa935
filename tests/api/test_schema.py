"""Every operation of the OpenAPI document, fuzzed: nothing a client can send is a server error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cache
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error

from apps.accounts import services
from apps.accounts.models import User
from apps.llms.models import Endpoint
from apps.roles.imports import pool_import
from workers.core.pools import load_builtin_pool

STREAMS = r"^/api/events$"
"""Endless by design; tested where a client can leave (apps/runs/tests)."""


@cache
def application() -> Any:
    """Made once: each one scans the static files."""
    return get_wsgi_application()


document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
whole = schemathesis.openapi.from_dict(document)
whole.config.phases.coverage.unexpected_methods = set()  # the router refuses them, not our code
schema = whole.exclude(path_regex=STREAMS)


@pytest.fixture
def _one_connection() -> Iterator[None]:
    """What a request does is taken back with the test's transaction, which its end would close."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def bearer(_one_connection: None, make_user: Callable[..., User]) -> str:
    """An admin's token with every scope, in a studio that has something to find."""
    user = make_user("fuzzer", "admin")
    pool_import(spec=load_builtin_pool("general"), publish=True)
    Endpoint.objects.create(
        key="local",
        name="Local",
        base_url="http://127.0.0.1:9/v1",
        model="m",
        allow_private_address=True,
        is_default=True,
        timeout_seconds=1,
    )
    _, secret = services.token_create(
        user=user,
        name="fuzz",
        scopes=["read", "run", "curate"],
        expires_at=timezone.now() + timedelta(days=1),
    )
    return f"Bearer {secret}"


@pytest.mark.django_db
@schema.parametrize()
@settings(
    max_examples=5,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_no_operation_answers_5xx(case: Any, bearer: str) -> None:
    headers = {"Authorization": bearer, "Accept": "application/json", "Host": "127.0.0.1"}
    case.call_and_validate(
        app=application(),
        base_url="http://127.0.0.1",
        headers=headers,
        checks=(not_a_server_error,),
    )
