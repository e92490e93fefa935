"""An endpoint of this machine, at which nothing listens."""

import pytest

from apps.llms.models import Endpoint


@pytest.fixture
def local(db: None) -> Endpoint:
    return Endpoint.objects.create(
        key="local",
        name="Local",
        base_url="http://127.0.0.1:1/v1",
        model="m",
        allow_private_address=True,
        timeout_seconds=5,
    )
