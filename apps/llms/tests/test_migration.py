"""An upgrade gives the embedded model's endpoint what a new studio's has."""

from importlib import import_module

import pytest
from django.apps import apps

from apps.llms.models import Endpoint, EndpointChange


@pytest.mark.django_db
def test_only_the_embedded_model_s_endpoint_gets_its_fields(local: Endpoint) -> None:
    values = {"base_url": local.base_url, "model": "smollm2-135m-instruct"}
    Endpoint.objects.create(key="embedded", name="Embedded model", **values)
    migration = import_module("apps.llms.migrations.0008_extra_body")
    migration.fill_embedded(apps, None)
    fields = {"dry_sequence_breakers": ["<|im_end|>"]}
    found = dict(Endpoint.objects.values_list("key", "extra_body"))
    assert found == {"embedded": fields, "local": {}}
    [change] = EndpointChange.objects.all()
    assert (change.endpoint_key, change.changed_by) == ("embedded", None)
    assert change.fields == [{"name": "extra_body", "before": {}, "after": fields}]
    Endpoint.objects.filter(key="embedded").update(base_url="https://llm.example/v1", extra_body={})
    migration.fill_embedded(apps, None)
    assert Endpoint.objects.get(key="embedded").extra_body == {}
