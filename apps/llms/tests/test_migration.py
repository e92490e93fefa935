"""An upgrade gives the embedded model's endpoint what a new studio's has."""

from importlib import import_module

import pytest
from django.apps import apps

from apps.llms.models import Endpoint
from workers.core.llm.embedded import ALIAS, EXTRA_BODY


@pytest.mark.django_db
def test_only_the_embedded_model_s_endpoint_gets_its_fields(local: Endpoint) -> None:
    values = {"base_url": local.base_url, "allow_private_address": True}
    Endpoint.objects.create(key="embedded", name="Embedded model", model=ALIAS, **values)
    import_module("apps.llms.migrations.0008_extra_body").fill_embedded(apps, None)
    found = dict(Endpoint.objects.values_list("key", "extra_body"))
    assert found == {"embedded": EXTRA_BODY, "local": {}}
