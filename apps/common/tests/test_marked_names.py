"""Whatever the admin shows of models and their pages can be translated.

A name that Django makes from that of a model or field needs no mark: `automatic_names` makes it
translatable and the catalogue takes it where somebody reads it. One that we write ourselves does,
since a plain text is never looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, TypeGuard

import pytest
from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.postgres.fields import ArrayField
from django.db.models import Field, Model
from django.utils.functional import Promise

from apps.common.automatic_names import own_models

FORMS = ("apps.roles.admin.forms", "apps.tasks.admin.forms")
OWN_ADMINS = [
    found for found in admin.site._registry.values() if type(found).__module__.startswith("apps.")
]


def unmarked(said: Iterable[tuple[str, object]]) -> list[str]:
    """Where a plain text stands; what says nothing needs no mark."""
    return [f"{place}: {text}" for place, text in said if text and not isinstance(text, Promise)]


def said_by_model(model: type[Model]) -> Iterator[tuple[str, object]]:
    options = model._meta
    yield f"{options.label} verbose_name", options.verbose_name
    yield f"{options.label} verbose_name_plural", options.verbose_name_plural
    for field in [*options.local_fields, *options.local_many_to_many]:
        place = f"{options.label}.{field.name}"
        yield f"{place} verbose_name", field.verbose_name
        yield f"{place} help_text", field.help_text
        for value, label in _choices(field):
            yield f"{place} choice {value}", label


def _choices(field: Field[Any, Any]) -> Iterable[tuple[object, object]]:
    chosen = field.base_field if isinstance(field, ArrayField) else field
    return chosen.flatchoices


def said_by_admin(own: admin.ModelAdmin[Any]) -> Iterator[tuple[str, object]]:
    place = type(own).__name__
    for title, options in own.fieldsets or ():
        yield f"{place} fieldsets", title
        yield f"{place} fieldsets description", options.get("description")
    fields = {field.name for field in own.opts.get_fields()}
    actions = ("actions", "actions_list", "actions_row", "actions_detail", "actions_submit_line")
    named = [name for kind in actions for name in getattr(own, kind, ())]
    for name in {*own.list_display, *own.readonly_fields, *named} - fields:
        if method := name if callable(name) else getattr(own, name, None):
            yield f"{place} {name}", getattr(method, "short_description", "no description")
    for filtered in own.list_filter:
        if isinstance(filtered, type):
            yield f"{place} {filtered.__name__}", getattr(filtered, "title", None)


def said_by_form(form: type[forms.Form]) -> Iterator[tuple[str, object]]:
    for name, field in form.base_fields.items():
        if not field.widget.is_hidden:
            yield f"{form.__name__}.{name} label", field.label or "no label"
            yield f"{form.__name__}.{name} help_text", field.help_text


@pytest.mark.parametrize("model", own_models(), ids=lambda model: model._meta.label)
def test_names_helps_and_choices_of_models_can_be_translated(model: type[Model]) -> None:
    assert unmarked(said_by_model(model)) == []


@pytest.mark.parametrize("own", OWN_ADMINS, ids=lambda own: type(own).__name__)
def test_what_pages_of_the_admin_are_made_of_can_be_translated(own: admin.ModelAdmin[Any]) -> None:
    assert unmarked(said_by_admin(own)) == []


@pytest.mark.parametrize("module", FORMS)
def test_labels_of_the_admins_own_forms_can_be_translated(module: str) -> None:
    ours = [value for value in vars(import_module(module)).values() if _is_form(value)]

    assert ours
    assert unmarked(said for form in ours for said in said_by_form(form)) == []


def _is_form(value: object) -> TypeGuard[type[forms.Form]]:
    return isinstance(value, type) and issubclass(value, forms.Form)


def test_applications_in_the_admins_menu_can_be_translated() -> None:
    labels = {own.opts.app_label for own in OWN_ADMINS}
    menu = [(label, apps.get_app_config(label).verbose_name) for label in sorted(labels)]

    assert unmarked(menu) == []


def test_a_plain_text_is_found() -> None:
    @admin.action(description="Promote")
    def promote() -> None: ...

    said = {
        "fieldsets": (("Server", {"fields": (), "description": "A description."}),),
        "list_display": (),
        "actions": (promote,),
    }
    plain = type("PlainAdmin", (admin.ModelAdmin,), said)

    found = unmarked(said_by_admin(plain(own_models()[0], admin.site)))

    assert [place.split(": ")[1] for place in found] == ["Server", "A description.", "Promote"]
