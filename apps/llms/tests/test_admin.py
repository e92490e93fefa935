"""Endpoints in the admin: a form that was opened long ago takes back nothing, what changed is
shown, and the connection is tested where one looks at it."""

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser
from apps.common.tests.admin_forms import sent_back
from apps.llms.models import Endpoint, EndpointChange
from workers.core.testing.stub_llm import running_stub

pytestmark = pytest.mark.django_db


@pytest.fixture
def endpoint(local: Endpoint) -> Endpoint:
    """The default one."""
    local.is_default = True
    local.save()
    return local


def address(endpoint: Endpoint) -> str:
    return f"/admin/llms/endpoint/{endpoint.pk}/change/"


def opened(client: APIClient, endpoint: Endpoint) -> dict[str, Any]:
    return sent_back(client.get(address(endpoint)))


def send(client: APIClient, where: str, values: dict[str, Any]) -> str:
    answer = client.post(where, values, format="multipart", follow=True)
    assert answer.status_code == 200
    text: str = answer.content.decode()
    return text


def test_a_box_that_is_cleared_is_stored(as_user: AsUser, endpoint: Endpoint) -> None:
    client = as_user("curator")
    form = opened(client, endpoint)
    del form["enabled"]
    send(client, address(endpoint), form)
    endpoint.refresh_from_db()
    assert not endpoint.enabled


def test_one_is_made_and_what_the_service_refuses_is_said(as_user: AsUser, db: None) -> None:
    client, add = as_user("curator"), "/admin/llms/endpoint/add/"
    values = {
        "key": "cloud",
        "name": "Cloud",
        "base_url": "http://127.0.0.1:1/v1",
        "model": "big",
        "context_length": "8192",
        "max_concurrency": "8",
        "timeout_seconds": "120",
    }
    assert "Not saved." in send(client, add, values)
    assert not Endpoint.objects.exists()
    send(client, add, {**values, "base_url": "https://llm.example/v1"})
    made = Endpoint.objects.get()
    assert (made.key, made.context_length, made.enabled) == ("cloud", 8192, False)


def test_what_was_typed_stays_in_the_form_that_a_service_refuses(
    as_user: AsUser, endpoint: Endpoint
) -> None:
    client = as_user("curator")
    form = opened(client, endpoint)
    typed = {"name": "A name of some length", "base_url": "http://169.254.169.254/", "model": "m9"}
    for where in (address(endpoint), "/admin/llms/endpoint/add/"):
        refused = client.post(where, {**form, **typed, "key": "other"}, format="multipart")
        assert refused.status_code == 200
        shown = refused.context["adminform"].form
        assert {name: shown[name].value() for name in typed} == typed
        assert [str(error).split(".")[0] for error in shown.non_field_errors()] == ["Not saved"]
        assert "base_url" in shown.errors
        page = refused.content.decode()
        assert all(f'value="{text}"' in page for text in typed.values())
    assert Endpoint.objects.get().name == endpoint.name
    assert not EndpointChange.objects.exists()


def test_extra_request_fields_are_edited_as_json(as_user: AsUser, endpoint: Endpoint) -> None:
    client = as_user("curator")
    deep = ['{"a": ' + "[" * levels + "]" * levels + "}" for levels in (100, 900, 100_000)]
    for wrong in ("{", '["top_p"]', '{"model": "other"}', '{"a": NaN}', *deep):
        form = {**opened(client, endpoint), "extra_body": wrong}
        assert "was changed successfully" not in send(client, address(endpoint), form), wrong
    form = {**opened(client, endpoint), "extra_body": '{"top_p": 0.9}'}
    assert "was changed successfully" in send(client, address(endpoint), form)
    endpoint.refresh_from_db()
    assert endpoint.extra_body == {"top_p": 0.9}
    form = {**opened(client, endpoint), "extra_body": ""}
    assert "was changed successfully" in send(client, address(endpoint), form)
    endpoint.refresh_from_db()
    assert endpoint.extra_body == {}


def test_a_new_default_takes_the_mark_from_the_old_one(as_user: AsUser, endpoint: Endpoint) -> None:
    client = as_user("curator")
    other = {**opened(client, endpoint), "key": "other", "name": "Other"}
    assert "was added successfully" in send(client, "/admin/llms/endpoint/add/", other)
    assert list(Endpoint.objects.filter(is_default=True).values_list("key", flat=True)) == ["other"]


def test_a_refused_form_is_saved_once_it_is_corrected(as_user: AsUser, endpoint: Endpoint) -> None:
    client = as_user("curator")
    form = {**opened(client, endpoint), "name": "Renamed", "base_url": "http://169.254.169.254/"}
    Endpoint.objects.update(model="changed elsewhere")
    assert "Not saved." in send(client, address(endpoint), form)
    page = send(client, address(endpoint), {**form, "base_url": endpoint.base_url})
    assert "was changed successfully" in page
    endpoint.refresh_from_db()
    assert (endpoint.name, endpoint.model) == ("Renamed", "changed elsewhere")


def test_what_the_service_refuses_is_in_no_log(as_user: AsUser, endpoint: Endpoint) -> None:
    client, add = as_user("curator"), "/admin/llms/endpoint/add/"
    values = {name: sent for name, sent in opened(client, endpoint).items() if sent != ["on"]}
    assert "Not saved." in send(client, add, {**values, "key": "local2"})
    form = {**opened(client, endpoint), "base_url": "http://169.254.169.254/"}
    assert "Not saved." in send(client, address(endpoint), form)
    assert not LogEntry.objects.exists()
    send(client, address(endpoint), {**opened(client, endpoint), "name": "Renamed"})
    assert [entry.get_change_message() for entry in LogEntry.objects.all()] == ["Changed Name."]


def test_the_page_shows_who_changed_what_and_no_key(
    as_user: AsUser, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENDOR_API_KEY", "sk-very-secret")
    client = as_user("admin")
    form = opened(client, endpoint)
    values = {**form, "api_key_env": "VENDOR_API_KEY", "model": "<b>bold</b>", "key": "other"}
    assert "Only an admin may" in send(as_user("curator"), address(endpoint), values)
    page = send(client, address(endpoint), values)
    assert "was changed successfully" in page
    endpoint.refresh_from_db()
    assert endpoint.key == "local"
    page = client.get(address(endpoint)).content.decode()
    for said in ("Who changed what", "+ &lt;b&gt;bold&lt;/b&gt;", "is set on this server"):
        assert said in page
    assert "sk-very-secret" not in page
    assert "<b>bold</b>" not in page
    change = EndpointChange.objects.get()
    shown = client.get(f"/admin/llms/endpointchange/{change.pk}/change/").content.decode()
    assert "+ VENDOR_API_KEY" in shown
    assert "model, api key env" in client.get("/admin/llms/endpointchange/").content.decode()


def test_a_price_per_token_is_told_with_the_one_per_million(
    as_user: AsUser, endpoint: Endpoint
) -> None:
    client = as_user("curator")
    said = send(client, address(endpoint), {**opened(client, endpoint), "prompt_price": "2.5e-6"})
    assert "enter 2.5." in said
    endpoint.refresh_from_db()
    assert endpoint.prompt_price is None


def test_the_connection_is_tested_from_the_page_and_from_the_list(
    as_user: AsUser, endpoint: Endpoint
) -> None:
    client, test = as_user("curator"), f"/admin/llms/endpoint/{endpoint.pk}/test_now/"
    asked = client.get(test).content.decode()
    assert "for at most 10 seconds" in asked
    assert re.search(r"<button[^>]*>\s*Test connection\s*</button>", asked)
    with running_stub() as stub:
        Endpoint.objects.update(base_url=stub.url)
        assert "has no model m" in send(client, test, {})
        address = {"base_url": "http://127.0.0.1:1/v1", "allow_private_address": True}
        away = Endpoint.objects.create(key="away", name="Away", model="m", **address)
        chosen = [str(endpoint.pk), str(away.pk)]
        values = {"action": "test_connection", "_selected_action": chosen}
        said = send(client, "/admin/llms/endpoint/", values)
        assert "Local: " in said
        assert "Away: " in said
    assert as_user("operator").post(test, follow=True).status_code == 403
    assert client.get("/admin/llms/endpoint/999/test_now/").status_code == 404
