"""“Try this role”: a run of one agent with the draft's prompt."""

from typing import Any

import pytest

from apps.accounts.tests.cast import AsUser
from apps.agents.tests.profiles import make_endpoint
from apps.llms.models import Endpoint
from apps.roles import services
from apps.roles.models import Role, RolePool
from apps.runs.models import Run
from apps.runs.selectors import run_spec
from workers.core.methods.design import DesignConfig

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("draft")]

PATH = "/api/pools/small/roles/solver/try"


@pytest.fixture(autouse=True)
def other(endpoint: Endpoint, sent: list[str]) -> Endpoint:
    return make_endpoint("other", model="stub")


def test_the_draft_is_tried_and_not_what_is_published(as_user: AsUser, published: RolePool) -> None:
    role = published.roles.get(key="solver")
    services.role_update(role=role, values={"prompt": "Draft.", "enabled": False})
    answer = as_user("curator").post(PATH, {"query": "1 + 1?"})
    assert answer.status_code == 201, answer.content
    assert (answer.json()["method"], answer.json()["endpoint"]) == ("design", "stub")
    run = Run.objects.get(id=answer.json()["id"])
    assert (run.pool_version, run.status) == (None, "queued")
    assert (run.created_by and run.created_by.username) == "curator"
    config = DesignConfig.model_validate(run_spec(run).method_config)
    (agent,) = config.graph.nodes
    assert (agent.role.prompt, config.answer_from) == ("Draft.", agent.id)


def test_it_is_tried_on_the_endpoint_that_is_named(as_user: AsUser) -> None:
    client = as_user("curator")
    made = client.post(PATH, {"query": "1 + 1?", "endpoint": "other"})
    assert made.json()["endpoint"] == "other"
    Endpoint.objects.update(enabled=False)
    refused = client.post(PATH, {"query": "1 + 1?", "endpoint": "other"})
    assert refused.json()["error"]["code"] == "endpoint_disabled"
    assert client.post(PATH, {"query": ""}).status_code == 400
    missing = client.post("/api/pools/small/roles/nobody/try", {"query": "?"})
    assert missing.status_code == 404


def test_the_admin_tries_a_role_and_leads_to_its_run(as_user: AsUser) -> None:
    client, role = as_user("curator"), Role.objects.get(key="solver")
    path = f"/admin/roles/role/{role.pk}/try_role/"
    asked = client.get(path).content.decode()
    assert 'name="query"' in asked
    assert "OTHER" in asked
    assert path in client.get(f"/admin/roles/role/{role.pk}/change/").content.decode()
    answer: Any = client.post(path, {"query": "1 + 1?", "endpoint": "other"}, format="multipart")
    run = Run.objects.get()
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/runs/{run.id}")
    assert run.endpoint_key == "other"
    Endpoint.objects.update(is_default=False)
    refused = client.post(path, {"query": "1 + 1?", "endpoint": ""}, format="multipart")
    assert "There is no default endpoint" in refused.content.decode()
