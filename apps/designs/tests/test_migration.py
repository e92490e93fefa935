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
FORMAT_3 = import_module("apps.designs.migrations.0006_format_3")


def _of_format_2(drawn: dict[str, Any]) -> dict[str, Any]:
    stored = read_design(drawn).model_dump(mode="json")
    del stored["script"]
    return {**stored, "format": 2}


def test_drafts_and_versions_of_format_1_are_written_anew(cast: dict[str, User]) -> None:
    first: dict[str, Any] = {**draft("dcba", "ab ac bd cd"), "format": 1}
    newer = _of_format_2(draft("ab", "ab", vote=["b"]))
    old = Design.objects.create(name="Old", draft=first, created_by=cast["operator"])
    old.versions.create(number=1, name="v", spec=first)
    new = Design.objects.create(name="New", draft=newer)
    changed_at = old.updated_at
    FORMAT_2.write_anew(apps, None)
    old.refresh_from_db()
    new.refresh_from_db()
    assert (old.draft["format"], old.draft["vote"], old.updated_at) == (3, [], changed_at)
    assert [agent["id"] for agent in old.draft["agents"]] == ["a", "c", "b", "d"]
    assert old.versions.get().spec == old.draft
    assert new.draft == newer
    with pytest.raises(ApplicationError, match="Nothing has changed"):
        version_create(user=cast["operator"], design_id=old.id, revision=1, name="same")


def test_drafts_and_versions_of_format_2_get_a_place_for_a_script(cast: dict[str, User]) -> None:
    stored = _of_format_2(draft("ab", "ab"))
    old = Design.objects.create(name="Old", draft=stored, created_by=cast["operator"])
    old.versions.create(number=1, name="v", spec=stored)
    changed_at = old.updated_at
    FORMAT_3.write_again(apps, None)
    old.refresh_from_db()
    assert (old.draft["format"], old.draft["script"], old.updated_at) == (3, None, changed_at)
    assert old.versions.get().spec == old.draft
    with pytest.raises(ApplicationError, match="Nothing has changed"):
        version_create(user=cast["operator"], design_id=old.id, revision=1, name="same")
