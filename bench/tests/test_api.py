"""What the benchmark of the API is measured on."""

import pytest
from django.db import connection
from rest_framework.test import APIClient

from apps.accounts.services import admin_ensure
from apps.runs.models import RunEvent
from bench.api import EVENTS_PER_RUN, LISTS, TRACE_EVENTS, TRACE_RUN, insert


@pytest.mark.django_db
def test_the_tables_are_filled_and_every_list_has_rows() -> None:
    admin, _ = admin_ensure()
    with connection.cursor() as cursor:
        insert(cursor, user_id=admin.pk, runs=970)  # the first that is of loaves, and noted
    assert RunEvent.objects.filter(run_id=TRACE_RUN).count() == TRACE_EVENTS
    assert RunEvent.objects.exclude(run_id=TRACE_RUN).count() == 969 * EVENTS_PER_RUN
    client = APIClient()
    client.force_authenticate(admin)
    for name, address in LISTS.items():
        assert client.get(address).json()["results"], name
