"""An upgrade finds what was noted before it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.runs.models import Annotation, Run

BEFORE = [("runs", "0011_filter_indexes")]


def migrate(target: list[Any]) -> None:
    MigrationExecutor(connection).migrate(target)


@pytest.mark.django_db(transaction=True)
def test_runs_that_were_noted_before_are_found_by_it(
    as_user: Callable[[str], APIClient], make_run: Callable[..., Run], cast: dict[str, User]
) -> None:
    run = make_run(query="How many loaves?")
    for who in ("operator", "curator"):
        Annotation.objects.create(run=run, author=cast[who], label=f"odd {who}", comment="of rye")
    newest = list(
        MigrationExecutor(connection).loader.graph.leaf_nodes()
    )  # others went back with it
    try:
        migrate(BEFORE)
    finally:
        migrate(newest)
    found = as_user("viewer").get("/api/runs?q=loaves+rye+curator+operator").json()["results"]
    assert [each["id"] for each in found] == [str(run.id)]
    Annotation.objects.all().delete()
    assert as_user("viewer").get("/api/runs?q=rye").json()["results"] == []
