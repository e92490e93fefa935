"""How large an endpoint's model is: who says so, and what that changes."""

from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps

from apps.accounts.tests.cast import AsUser
from apps.llms import own_models
from apps.llms.models import Endpoint
from apps.llms.services import endpoint_create, endpoint_ensure, endpoint_test, endpoint_update
from workers.core.llm.probe import ProbeResult
from workers.core.specs import EndpointSpec
from workers.core.weights.local import local_models
from workers.core.weights.nano import NanoConfig, ensure_nano

pytestmark = pytest.mark.django_db

SMALL = {"key": "e", "name": "E", "base_url": "https://llm.example/v1", "model": "qwen-0.5b"}


def size(endpoint: Endpoint) -> tuple[int | None, str]:
    endpoint.refresh_from_db()
    return endpoint.parameters, endpoint.parameters_from


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("qwen-0.5b", (500_000_000, "name")),
        ("qwen05b.gguf", (500_000_000, "name")),
        ("x", (None, "")),
    ],
)
def test_without_a_word_the_name_suggests_it(model: str, told: tuple[int | None, str]) -> None:
    endpoint = endpoint_create(values={**SMALL, "model": model})
    assert size(endpoint) == told
    assert endpoint.spec().is_small is (told[0] is not None)


def test_a_person_says_it_and_keeps_the_word(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = endpoint_create(values={**SMALL, "parameters": 3_000_000_000})
    assert size(endpoint) == (3_000_000_000, "person")
    assert not endpoint.spec().is_small
    server_tells(monkeypatch, 494_032_768)
    endpoint_test(endpoint=endpoint)
    assert size(endpoint) == (3_000_000_000, "person")
    endpoint_update(endpoint=endpoint, values={"name": "Other"})
    assert size(endpoint) == (3_000_000_000, "person")
    endpoint_update(endpoint=endpoint, values={"parameters": None})
    assert size(endpoint) == (500_000_000, "name")


def test_a_server_that_tells_it_is_believed_over_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = endpoint_create(values={**SMALL, "model": "my-model"})
    server_tells(monkeypatch, None)
    endpoint_test(endpoint=endpoint)
    assert size(endpoint) == (None, "")
    server_tells(monkeypatch, 494_032_768)
    endpoint_test(endpoint=endpoint)
    endpoint_test(endpoint=endpoint)
    assert size(endpoint) == (494_032_768, "server")
    changes = [change.fields for change in endpoint.changes.all()]
    assert [field["name"] for field in changes[0]] == ["parameters", "parameters_from"]
    assert len(changes) == 2  # a second test changed nothing
    endpoint_update(endpoint=endpoint, values={"model": "my-model"})
    assert size(endpoint) == (494_032_768, "server")
    endpoint_update(endpoint=endpoint, values={"model": "other-7b"})
    assert size(endpoint) == (7_000_000_000, "name")


def test_a_guess_is_confirmed_by_saying_it() -> None:
    endpoint = endpoint_create(values=SMALL)
    endpoint_update(endpoint=endpoint, values={"parameters": 500_000_000})
    assert size(endpoint) == (500_000_000, "person")


def test_the_studio_knows_the_model_that_it_serves() -> None:
    known = {"parameters": 134_515_008, "parameters_from": "server"}
    values = {name: SMALL[name] for name in ("name", "model")} | known
    endpoint = endpoint_ensure(key="e", base_url=SMALL["base_url"], values=values)
    assert size(endpoint) == (134_515_008, "server")
    Endpoint.objects.update(parameters=500_000_000, parameters_from="name")
    endpoint_ensure(key="e", base_url=SMALL["base_url"], values=values)
    assert size(endpoint) == (134_515_008, "server")
    Endpoint.objects.update(parameters=5_000_000, parameters_from="person")
    endpoint_ensure(key="e", base_url=SMALL["base_url"], values=values)
    assert size(endpoint) == (5_000_000, "person")


def test_the_api_tells_and_takes_it(as_user: AsUser) -> None:
    client = as_user("curator")
    made = client.post("/api/endpoints", SMALL).json()
    told = {name: made[name] for name in ("parameters", "parameters_from", "is_small")}
    assert told == {"parameters": 500_000_000, "parameters_from": "name", "is_small": True}
    body = {"parameters": 8_000_000_000, "parameters_from": "server"}
    changed = client.patch("/api/endpoints/e", body).json()
    assert (changed["parameters_from"], changed["is_small"]) == ("person", False)
    for wrong in (0, 7, -1, 0.5, 10**17, "big"):
        refused = client.patch("/api/endpoints/e", {"parameters": wrong})
        assert refused.status_code == 400, wrong
        assert [f["field"] for f in refused.json()["error"]["fields"]] == ["parameters"]


def test_endpoints_of_an_older_studio_get_the_size_of_their_name() -> None:
    migration = import_module("apps.llms.migrations.0004_model_size")
    for key, model in (("a", "smollm2-135m-instruct"), ("b", "gpt-4.1-mini")):
        Endpoint.objects.create(**{**SMALL, "key": key, "model": model})
    migration.guess(apps, None)
    found = dict(Endpoint.objects.values_list("key", "parameters"))
    assert found == {"a": 135_000_000, "b": None}


def server_tells(monkeypatch: pytest.MonkeyPatch, parameters: int | None) -> None:
    async def probe(spec: EndpointSpec) -> ProbeResult:
        return ProbeResult(True, 0.1, (spec.model,), parameters=parameters)

    monkeypatch.setattr("apps.llms.services.probe_endpoint", probe)


def test_the_studios_own_model_is_described_as_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    ensure_nano(tmp_path)
    (nano,) = local_models()
    told = own_models.DEFAULTS
    assert (nano.name, nano.parameters) == (told["model"], told["parameters"])
    assert NanoConfig().length == told["context_length"]
