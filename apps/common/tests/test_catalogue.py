"""The catalogue holds what people read, and whoever reads in its language finds it translated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.utils import translation
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.common.catalogue import catalogue_text
from apps.common.errors import ApplicationError
from apps.common.management.commands import catalogue as command
from apps.llms.models import Endpoint
from apps.roles.admin.shown import shown_diff
from apps.runs.models import Run
from apps.runs.services import run_retry
from workers.core.pools.compare import PoolRole, pool_diff
from workers.core.specs import RoleSpec

MADE_UP = "qz"


def in_brackets(text: str) -> str:
    """A translation that everybody can read, and tell from what is not translated."""
    return f"⟦{text}⟧"


def made_up(english: Catalog) -> Catalog:
    translated = Catalog(locale="en")
    for message in english:
        if not message.id:
            continue
        ids = (message.id,) if isinstance(message.id, str) else message.id
        strings = tuple(in_brackets(text) for text in ids)
        string = strings if len(strings) > 1 else strings[0]
        translated.add(message.id, string, context=message.context)
    return translated


@pytest.fixture
def reading_made_up(tmp_path: Path, settings: Any) -> Iterator[None]:
    with command.CATALOGUE.open("rb") as file:
        english = read_po(file)
    folder = tmp_path / MADE_UP / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "django.mo").open("wb") as file:
        write_mo(file, made_up(english))
    settings.LOCALE_PATHS = [tmp_path]
    with translation.override(MADE_UP):
        yield


def test_it_holds_python_templates_settings_and_names_that_django_makes() -> None:
    text = catalogue_text(django_settings.BASE_DIR)

    for sentence in (
        "USD per million tokens; 0: free; empty: unknown.",
        "Nothing of this pool is published yet, so nothing can run it. Publish it when its roles "
        "are ready.",
        "Administration",
        "base url",
        "login links",
    ):
        assert f'"{sentence}"' in text.replace('"\n"', "").replace('""', '"')


def test_one_that_is_out_of_date_is_refused_and_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "CATALOGUE", tmp_path / "en" / "django.po")

    with pytest.raises(CommandError, match="bin/studio manage catalogue"):
        call_command("catalogue", check=True)
    call_command("catalogue")
    call_command("catalogue", check=True)


@pytest.mark.usefixtures("reading_made_up")
def test_pages_of_the_admin_are_read_in_another_language(
    as_user: Callable[[str], APIClient],
) -> None:
    endpoint = Endpoint.objects.create(key="lab", name="Lab", base_url="http://lab/v1", model="m")
    curator = as_user("curator")

    listed = curator.get("/admin/llms/endpoint/").content.decode()
    page = curator.get(f"/admin/llms/endpoint/{endpoint.pk}/change/").content.decode()

    assert "⟦Prices in / out⟧" in listed  # of a column
    assert "⟦Test connection⟧" in listed  # of an action
    assert "⟦endpoints⟧" in listed.lower()  # of the model, made by Django
    assert "⟦base url⟧" in page.lower()  # of a field, made by Django
    assert "⟦Calls that each worker process sends at once; the others wait.⟧" in page
    assert "⟦Limits⟧" in page


@pytest.mark.usefixtures("reading_made_up")
def test_the_admins_script_finds_its_words_in_the_page(
    as_user: Callable[[str], APIClient],
) -> None:
    script = (Path(__file__).parents[1] / "static/common/admin.js").read_text()
    named = set(re.findall(r'^  ".+": "(.+)",$', script, re.MULTILINE))
    page = as_user("curator").get("/admin/").content.decode()

    words = dict(re.findall(r'data-name-([a-z]+)="(.+)"', page))

    assert named == set(words)
    assert words["rows"] == "⟦Rows⟧"
    assert all(word.startswith("⟦") for word in words.values())


@pytest.mark.usefixtures("reading_made_up")
def test_changes_of_roles_and_statuses_are_read_in_another_language() -> None:
    spec = RoleSpec(key="judge", name="n", family="law", description="d", prompt="p")
    changed = spec.model_copy(update={"output_form": "One line."})
    diff = shown_diff(pool_diff([PoolRole(spec)], [PoolRole(changed)]))

    assert [field.name for field in diff.roles[0].fields] == ["⟦output form⟧"]
    with pytest.raises(ApplicationError, match="The run is ⟦Running⟧; only one that has ended"):
        run_retry(user=User(), run=Run(status="running"))


@pytest.mark.usefixtures("reading_made_up")
def test_errors_of_the_api_are_read_in_another_language(
    as_user: Callable[[str], APIClient],
) -> None:
    curator = as_user("curator")

    missing = curator.get("/api/endpoints/none").json()["error"]
    key = {"key": "lab", "name": "Lab", "base_url": "http://lab/v1", "model": "m"}
    Endpoint.objects.create(**key)
    taken = curator.post("/api/endpoints", key).json()["error"]

    assert missing["remedy"] == "⟦Check the address; it may have been deleted.⟧"
    assert taken["message"] == "⟦There is already an endpoint “lab”.⟧"
    assert taken["remedy"] == "⟦Choose another key, or change the existing one.⟧"
    assert taken["code"] == "key_taken"  # for programs, in no language


def test_english_stays_english(as_user: Callable[[str], APIClient]) -> None:
    page = as_user("curator").get("/admin/llms/endpoint/add/").content.decode()

    assert "Base url" in page
    assert "⟦" not in page
