"""“Try this role”: a run of one agent with the draft's prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from celery import current_app
from rest_framework.test import APIClient

from apps.llms.models import Endpoint
from apps.roles import services
from apps.roles.models import Role, RolePool
from apps.roles.tests.conftest import TokenClient
from apps.runs.models import Run
from apps.runs.selectors import run_spec
from workers.core.methods.design import DesignConfig

pytestmark = pytest.mark.django_db

AsUser = Callable[[str], APIClient]
PATH = "/api/pools/small/roles/solver/try"


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of the runs handed to the broker; nothing executes them."""
    ids: list[str] = []
    monkeypatch.setattr(current_app, "send_task", lambda task, args, **_: ids.append(args[0]))
    return ids


@pytest.fixture
def endpoint(db: None) -> Endpoint:
    values = {"name": "Stub", "base_url": "http://127.0.0.1:9/v1", "model": "stub"}
    Endpoint.objects.create(key="other", **values)
    return Endpoint.objects.create(key="stub", is_default=True, **values)


def test_the_draft_is_tried_and_not_what_is_published(
    as_user: AsUser, published: RolePool, endpoint: Endpoint
) -> None:
    role = published.roles.get(key="solver")
    services.role_update(role=role, values={"prompt": "Draft.", "enabled": False})
    answer = as_user("curator").post(PATH, {"query": "1 + 1?"})
    assert answer.status_code == 201, answer.content
    assert (answer.json()["method"], answer.json()["endpoint"]) == ("design", "stub")
    run = Run.objects.get(id=answer.json()["id"])
    assert (run.pool_version, run.status, run.created_by and run.created_by.username) == (
        None,
        "queued",
        "curator",
    )
    config = DesignConfig.model_validate(run_spec(run).method_config)
    (agent,) = config.graph.nodes
    assert (agent.role.prompt, config.answer_from) == ("Draft.", agent.id)


def test_it_is_tried_on_the_endpoint_that_is_named(
    as_user: AsUser, draft: RolePool, endpoint: Endpoint
) -> None:
    client = as_user("curator")
    made = client.post(PATH, {"query": "1 + 1?", "endpoint": "other"})
    assert made.json()["endpoint"] == "other"
    Endpoint.objects.update(enabled=False)
    refused = client.post(PATH, {"query": "1 + 1?", "endpoint": "other"})
    assert refused.json()["error"]["code"] == "endpoint_disabled"
    assert client.post(PATH, {"query": ""}).status_code == 400
    missing = client.post("/api/pools/small/roles/nobody/try", {"query": "?"})
    assert missing.status_code == 404


@pytest.mark.parametrize(
    ("who", "status"),
    [
        ("anonymous", 401),
        ("outsider", 403),
        ("viewer", 403),
        ("operator", 403),
        ("curator", 201),
        ("admin", 201),
    ],
)
def test_who_may_try(
    as_user: AsUser, draft: RolePool, endpoint: Endpoint, who: str, status: int
) -> None:
    assert as_user(who).post(PATH, {"query": "1 + 1?"}).status_code == status
    assert Run.objects.exists() is (status == 201)


@pytest.mark.parametrize(
    ("scopes", "status"),
    [(["read"], 403), (["run"], 403), (["curate"], 403), (["run", "curate"], 201)],
)
def test_a_token_needs_both_scopes(
    with_token: TokenClient, draft: RolePool, endpoint: Endpoint, scopes: list[str], status: int
) -> None:
    assert with_token("curator", *scopes).post(PATH, {"query": "?"}).status_code == status


def test_the_admin_tries_a_role_and_leads_to_its_run(
    as_user: AsUser, draft: RolePool, endpoint: Endpoint
) -> None:
    client, role = as_user("curator"), Role.objects.get(key="solver")
    path = f"/admin/roles/role/{role.pk}/try_role/"
    asked = client.get(path).content.decode()
    assert 'name="query"' in asked
    assert "Stub" in asked
    assert path in client.get(f"/admin/roles/role/{role.pk}/change/").content.decode()
    answer: Any = client.post(path, {"query": "1 + 1?", "endpoint": "other"}, format="multipart")
    run = Run.objects.get()
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/runs/{run.id}")
    assert run.endpoint_key == "other"
    Endpoint.objects.update(is_default=False)
    refused = client.post(path, {"query": "1 + 1?", "endpoint": ""}, format="multipart")
    assert "There is no default endpoint" in refused.content.decode()


@pytest.mark.parametrize("who", ["anonymous", "outsider", "viewer", "operator"])
def test_others_do_not_try_in_the_admin(
    as_user: AsUser, draft: RolePool, endpoint: Endpoint, who: str
) -> None:
    role = Role.objects.get(key="solver")
    path = f"/admin/roles/role/{role.pk}/try_role/"
    assert as_user(who).get(path).status_code in {302, 403}
    as_user(who).post(path, {"query": "1 + 1?"}, format="multipart")
    assert not Run.objects.exists()
