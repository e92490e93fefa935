"""What an earlier studio stored is read, saved and compared like what this one stores."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps

from apps.accounts.models import User
from apps.common.errors import ApplicationError
from apps.designs.models import Design
from apps.designs.services import version_create
from apps.designs.tests.conftest import draft
from workers.core.designs.spec import read_design

pytestmark = pytest.mark.django_db
FORMAT_2 = import_module("apps.designs.migrations.0004_format_2")


def test_drafts_and_versions_of_format_1_are_written_anew(cast: dict[str, User]) -> None:
    first: dict[str, Any] = {**draft("dcba", "ab ac bd cd"), "format": 1}
    newer = read_design(draft("ab", "ab", vote=["b"])).model_dump(mode="json")
    old = Design.objects.create(name="Old", draft=first, created_by=cast["operator"])
    old.versions.create(number=1, name="v", spec=first)
    new = Design.objects.create(name="New", draft=newer)
    changed_at = old.updated_at
    FORMAT_2.write_anew(apps, None)
    old.refresh_from_db()
    new.refresh_from_db()
    assert (old.draft["format"], old.draft["vote"], old.updated_at) == (2, [], changed_at)
    assert [agent["id"] for agent in old.draft["agents"]] == ["a", "c", "b", "d"]
    assert old.versions.get().spec == old.draft
    assert new.draft == newer
    with pytest.raises(ApplicationError, match="Nothing has changed"):
        version_create(user=cast["operator"], design_id=old.id, revision=1, name="same")
