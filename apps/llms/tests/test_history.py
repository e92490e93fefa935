"""Who changed what of an endpoint: through the API and the admin, and by the studio itself."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser
from apps.common.errors import ApplicationError
from apps.llms import services
from apps.llms.models import Endpoint, EndpointChange

pytestmark = pytest.mark.django_db

PUBLIC = {"key": "cloud", "name": "Cloud", "base_url": "https://llm.example/v1", "model": "big"}


def lines(client: APIClient, key: str = "cloud") -> list[dict[str, Any]]:
    answer = client.get(f"/api/endpoints/{key}/changes")
    assert answer.status_code == 200
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def test_every_change_is_a_line_with_its_fields_and_who_made_it(as_user: AsUser) -> None:
    client = as_user("curator")
    assert client.post("/api/endpoints", PUBLIC).status_code == 201
    client.patch("/api/endpoints/cloud", {"prompt_price": 2.5, "model": "big"})
    client.patch("/api/endpoints/cloud", {"prompt_price": 2.5})
    changed, added = lines(as_user("viewer"))
    assert (changed["kind"], changed["changed_by"]) == ("changed", "curator")
    assert changed["fields"] == [{"name": "prompt_price", "before": None, "after": 2.5}]
    assert added["kind"] == "created"
    first = {field["name"]: field["after"] for field in added["fields"]}
    assert (first["base_url"], first["max_concurrency"]) == ("https://llm.example/v1", 8)
    client.delete("/api/endpoints/cloud")
    assert client.get("/api/endpoints/cloud/changes").status_code == 404
    last = EndpointChange.objects.first()
    assert last
    assert (last.endpoint_key, last.kind, last.endpoint) == ("cloud", "deleted", None)
    assert EndpointChange.objects.count() == 3


def test_the_one_that_stops_being_the_default_has_a_line_too(
    as_user: AsUser, local: Endpoint
) -> None:
    client = as_user("curator")
    client.patch("/api/endpoints/local", {"is_default": True})
    client.post("/api/endpoints", {**PUBLIC, "is_default": True})
    newest = lines(client, "local")[0]
    assert newest["fields"] == [{"name": "is_default", "before": True, "after": False}]
    assert newest["changed_by"] == "curator"
    assert Endpoint.objects.get(is_default=True).key == "cloud"


def test_what_is_refused_is_no_line(local: Endpoint) -> None:
    with pytest.raises(ApplicationError):
        services.endpoint_update(endpoint=local, values={"prompt_price": -1})
    assert not EndpointChange.objects.exists()


def test_the_studio_moves_its_own_endpoint_and_says_so_once(db: None) -> None:
    for port in (1, 1, 2):
        services.endpoint_ensure(
            key="embedded",
            base_url=f"http://127.0.0.1:{port}/v1",
            values={"name": "E", "model": "m", "allow_private_address": True},
        )
    moved, added = EndpointChange.objects.all()
    assert (added.kind, moved.changed_by) == ("created", None)
    assert [field["name"] for field in moved.fields] == ["base_url"]


def test_an_old_value_that_would_be_refused_today_does_not_stand_in_the_way(
    local: Endpoint,
) -> None:
    Endpoint.objects.update(prompt_price=0.0000025)
    services.endpoint_update(endpoint=local, values={"name": "Renamed"})
    with pytest.raises(ApplicationError, match=r"enter 2\.5") as caught:
        services.endpoint_update(endpoint=local, values={"prompt_price": 0.0000025})
    assert caught.value.fields[0].code == "price_per_token"
