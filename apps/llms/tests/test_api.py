"""Endpoints through the API: who may, what is refused, and what a test of the connection says."""

from typing import Any, ClassVar

import pytest

from apps.accounts.tests.cast import AsUser
from apps.common.errors import ApplicationError
from apps.llms.models import Endpoint
from apps.llms.services import endpoint_as_now, endpoint_update
from workers.core.testing.stub_llm import running_stub

pytestmark = pytest.mark.django_db

PUBLIC = {"key": "cloud", "name": "Cloud", "base_url": "https://llm.example/v1", "model": "big"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"key": "Not A Slug"}, "key"),
        ({"base_url": "http://127.0.0.1:8000/v1"}, "base_url"),
        ({"base_url": "http://169.254.169.254/latest"}, "base_url"),
        ({"base_url": "file:///etc/passwd"}, "base_url"),
        ({"base_url": "javascript:alert(1)"}, "base_url"),
        ({"base_url": "https://user:secret@llm.example/v1"}, "base_url"),
        ({"api_key_env": "SECRET_KEY"}, "api_key_env"),
        ({"api_key_env": "DATABASE_URL"}, "api_key_env"),
        ({"context_length": 1}, "context_length"),
        ({"prompt_price": -1}, "prompt_price"),
        ({"prompt_price": 0.0000025}, "prompt_price"),
        ({"completion_price": "nan"}, "completion_price"),
        ({"max_concurrency": 0}, "max_concurrency"),
        ({"max_concurrency": 5_000}, "max_concurrency"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"timeout_seconds": "inf"}, "timeout_seconds"),
        ({"model": ""}, "model"),
        ({"extra_body": {"model": "other"}}, "extra_body"),
        ({"extra_body": ["top_p"]}, "extra_body"),
        ({"extra_body": {"a": 1e20}}, "extra_body"),
        ({"extra_body": None}, "extra_body"),
        ({"extra_body": {"a": "\0"}}, "extra_body"),
    ],
)
def test_bad_endpoints_are_refused_at_the_field(
    as_user: AsUser, change: dict[str, Any], field: str
) -> None:
    refused = as_user("curator").post("/api/endpoints", {**PUBLIC, **change})
    assert refused.status_code == 400, refused.content
    assert field in [item["field"] for item in refused.json()["error"]["fields"]]
    assert not Endpoint.objects.exists()


class TestKeys:
    """A curator chooses no server for a key of the environment; the attack is to name one."""

    VENDOR: ClassVar = {**PUBLIC, "key": "vendor", "api_key_env": "VENDOR_API_KEY"}

    @pytest.fixture
    def vendor(self, as_user: AsUser) -> Endpoint:
        made = as_user("admin").post("/api/endpoints", self.VENDOR)
        assert made.status_code == 201, made.content
        return Endpoint.objects.get(key="vendor")

    @pytest.mark.parametrize(
        "base_url",
        [
            "https://evil.example/v1",
            "http://llm.example/v1",
            "https://llm.example:8443/v1",
            "https://llm.example.evil.example/v1",
            "https://evil.example/https://llm.example/v1",
        ],
    )
    @pytest.mark.usefixtures("vendor")
    def test_another_server_does_not_get_it(self, as_user: AsUser, base_url: str) -> None:
        client = as_user("curator")
        mine = {**self.VENDOR, "key": "mine", "base_url": base_url}
        tries = (
            client.post("/api/endpoints", mine),
            client.patch("/api/endpoints/vendor", {"base_url": base_url}),
        )
        for refused in tries:
            assert refused.status_code == 400, refused.content
            (field,) = refused.json()["error"]["fields"]
            assert (field["field"], field["code"]) == ("api_key_env", "key_not_for_this_server")
        assert client.post("/api/endpoints", {**mine, "api_key_env": ""}).status_code == 201
        named = client.patch("/api/endpoints/mine", {"api_key_env": "VENDOR_API_KEY"})
        assert named.status_code == 400
        stored = Endpoint.objects.filter(api_key_env="VENDOR_API_KEY")
        assert list(stored.values_list("base_url", flat=True)) == [PUBLIC["base_url"]]

    @pytest.mark.usefixtures("vendor")
    def test_the_one_that_an_admin_named_may_be_used_again(self, as_user: AsUser) -> None:
        client = as_user("curator")
        other = {**self.VENDOR, "key": "other", "base_url": "https://LLM.example:443/v2"}
        assert client.post("/api/endpoints", other).status_code == 201
        assert client.patch("/api/endpoints/vendor", {"model": "new"}).status_code == 200

    def test_a_key_that_nobody_uses_yet_is_an_admin_s(self, as_user: AsUser) -> None:
        mine = {**PUBLIC, "api_key_env": "STRIPE_API_KEY"}
        assert as_user("curator").post("/api/endpoints", mine).status_code == 400
        assert as_user("admin").post("/api/endpoints", mine).status_code == 201


def test_extra_request_fields_are_kept_changed_and_in_the_history(as_user: AsUser) -> None:
    client = as_user("curator")
    plain = client.post("/api/endpoints", PUBLIC).json()
    assert plain["extra_body"] == {}
    fields = {"top_p": 0.9, "chat_template_kwargs": {"enable_thinking": False}}
    changed = client.patch("/api/endpoints/cloud", {"extra_body": fields})
    assert changed.status_code == 200, changed.content
    assert as_user("viewer").get("/api/endpoints/cloud").json()["extra_body"] == fields
    assert Endpoint.objects.get().spec().extra_body == fields
    newest = client.get("/api/endpoints/cloud/changes").json()["results"][0]
    assert newest["fields"] == [{"name": "extra_body", "before": {}, "after": fields}]
    renamed = client.patch("/api/endpoints/cloud", {"name": "Renamed"})
    assert renamed.json()["extra_body"] == fields
    for switch in (0, False):  # equal in Python, but not for a server
        client.patch("/api/endpoints/cloud", {"extra_body": {"switch": switch}})
        newest = client.get("/api/endpoints/cloud/changes").json()["results"][0]
        assert newest["fields"][0]["after"] == {"switch": switch}
        assert (newest["fields"][0]["after"]["switch"] is False) == (switch is False)


def test_a_field_that_was_stored_before_a_rule_blocks_nothing(as_user: AsUser) -> None:
    client = as_user("curator")
    assert client.post("/api/endpoints", PUBLIC).status_code == 201
    Endpoint.objects.update(extra_body={"model": "other"})
    assert client.get("/api/endpoints").status_code == 200
    assert client.patch("/api/endpoints/cloud", {"name": "Renamed"}).status_code == 200


def test_what_continues_keeps_the_fields_that_it_began_with(local: Endpoint) -> None:
    began = local.spec().model_dump(mode="json")
    endpoint_update(endpoint=local, values={"extra_body": {"top_p": 0.1}, "timeout_seconds": 9.0})
    now = endpoint_as_now(local, began=began, remedy="")
    assert (now.extra_body, now.timeout_seconds) == ({}, 9.0)


def test_a_taken_key_is_a_conflict(as_user: AsUser) -> None:
    client = as_user("curator")
    assert client.post("/api/endpoints", PUBLIC).status_code == 201
    again = client.post("/api/endpoints", PUBLIC)
    assert again.status_code in {400, 409}
    assert again.json()["error"]["fields"][0]["field"] == "key"


def test_the_connection_test_lists_models_or_names_the_cause(
    as_user: AsUser, local: Endpoint
) -> None:
    client = as_user("curator")
    refused = client.post("/api/endpoints/local/test").json()
    assert refused["ok"] is False
    assert refused["failure"]["remedy"]
    with running_stub() as stub:
        changed = client.patch("/api/endpoints/local", {"base_url": stub.url})
        assert changed.status_code == 200, changed.content
        missing = client.post("/api/endpoints/local/test").json()
        assert missing["failure"]["code"] == "model_not_found"
        client.patch("/api/endpoints/local", {"model": missing["models"][0]})
        assert client.post("/api/endpoints/local/test").json()["ok"] is True


def test_two_who_change_different_fields_both_keep_theirs(local: Endpoint) -> None:
    """A permission that one takes back does not return with what the other saves later."""
    first, second = (Endpoint.objects.get(key="local") for _ in range(2))
    public = {"base_url": "https://llm.example/v1", "allow_private_address": False}
    endpoint_update(endpoint=first, values={**public, "enabled": False})
    saved = endpoint_update(endpoint=second, values={"prompt_price": 2.5})
    local.refresh_from_db()
    for endpoint in (local, saved):
        assert (endpoint.allow_private_address, endpoint.enabled) == (False, False)
        assert (endpoint.prompt_price, endpoint.base_url) == (2.5, "https://llm.example/v1")
    assert local.updated_at > first.updated_at


def test_a_private_address_needs_the_permission_of_now(local: Endpoint) -> None:
    stale = Endpoint.objects.get(key="local")
    public = {"base_url": "https://llm.example/v1", "allow_private_address": False}
    endpoint_update(endpoint=local, values=public)
    with pytest.raises(ApplicationError) as caught:
        endpoint_update(endpoint=stale, values={"base_url": "http://127.0.0.1:2/v1"})
    assert caught.value.fields[0].code == "address_refused"
