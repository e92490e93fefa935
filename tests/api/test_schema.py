"""Every operation of the OpenAPI document, fuzzed: nothing a client can send is a server error."""

from collections.abc import Iterator
from copy import copy
from datetime import timedelta
from functools import cache
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import Group
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from pytest_django import DjangoDbBlocker
from schemathesis.checks import not_a_server_error

from apps.accounts import services
from apps.accounts.authentication import TokenAuthentication
from apps.accounts.models import ApiToken, User
from apps.llms.models import Endpoint
from apps.roles.imports import pool_import
from workers.core.pools import load_builtin_pool

STREAMS = r"^/api/events$"
"""Endless by design; tested where a client can leave (apps/runs/tests)."""


@cache
def application() -> Any:
    """Made once: each one scans the static files."""
    return get_wsgi_application()


document = SchemaGenerator().get_schema(request=None, public=True)
whole = schemathesis.openapi.from_dict(document)
whole.config.phases.coverage.unexpected_methods = set()  # the router refuses them, not our code
schema = whole.exclude(path_regex=STREAMS)


@pytest.fixture(scope="module")
def token(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[ApiToken]:
    """An admin's, with every scope, in a studio that has something to find: there for all tests,
    each of which takes back what it does to it."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield _furnished()
        transaction.set_rollback(True)


def _furnished() -> ApiToken:
    user = User.objects.create_user(username="fuzzer")
    user.groups.add(Group.objects.get_or_create(name="admin")[0])
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
    until = timezone.now() + timedelta(days=1)
    return services.token_create(
        user=user, name="fuzz", scopes=["read", "run", "curate"], expires_at=until
    )[0]


@pytest.fixture
def _let_in(token: ApiToken, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request is that admin's without a look for the token, which took a fifth of the time:
    how tokens are looked for is tested where they are."""

    def authenticate(*_: object) -> tuple[User, ApiToken]:
        fresh = copy(token)
        fresh.user = copy(token.user)
        return fresh.user, fresh

    monkeypatch.setattr(TokenAuthentication, "authenticate", authenticate)


@pytest.fixture
def _one_connection() -> Iterator[None]:
    """What a request does is taken back with the test's transaction, which its end would close."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def test_each_operation_says_what_it_does() -> None:
    paths = document["paths"].items()
    operations = {(path, verb): each for path, found in paths for verb, each in found.items()}
    assert [place for place, each in operations.items() if not each.get("summary")] == []
    assert operations["/api/pools/{key}", "patch"]["summary"] == "Change a role pool"
    assert operations["/api/runs", "get"]["summary"] == "List runs"


@pytest.mark.django_db
@pytest.mark.usefixtures("_let_in", "_one_connection")
@schema.parametrize()
@settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
def test_no_operation_answers_5xx(case: Any) -> None:
    headers = {"Accept": "application/json", "Host": "127.0.0.1"}
    case.call_and_validate(
        app=application(),
        base_url="http://127.0.0.1",
        headers=headers,
        checks=(not_a_server_error,),
    )
