"""The names that Django makes from those of models and fields, where a model gives none.

Giving them would be a migration each, and a second spelling of every field. So they stay automatic:
here they become translatable, and the catalogue takes those that somebody reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import Field, Model
from django.utils.translation import gettext_lazy

NAMES = ("verbose_name", "verbose_name_plural")


def own_models() -> list[type[Model]]:
    return [model for model in apps.get_models() if model.__module__.startswith("apps.")]


def translate_automatic_names() -> None:
    """Once, when every model is loaded. Migrations read what a model gives: they see none of it."""
    for model in own_models():
        plural = str(model._meta.verbose_name_plural)
        for name, text in zip(NAMES, (model._meta.verbose_name, plural), strict=True):
            if name not in _given(model):
                setattr(model._meta, name, gettext_lazy(str(text)))
        for field in _automatic_fields(model):
            field.verbose_name = gettext_lazy(str(field.verbose_name))


def automatic_names() -> Iterator[str]:
    """Of every model, as the admin tells what goes with a deleted person; of the fields of those
    that have a page there, as nobody sees the names of others."""
    for model in own_models():
        yield from (str(getattr(model._meta, name)) for name in NAMES if name not in _given(model))
        if admin.site.is_registered(model):
            yield from (str(field.verbose_name) for field in _automatic_fields(model))


def _given(model: type[Model]) -> dict[str, Any]:
    given: dict[str, Any] = model._meta.original_attrs
    return given


def _automatic_fields(model: type[Model]) -> list[Field[Any, Any]]:
    fields = [*model._meta.local_fields, *model._meta.local_many_to_many]
    return [field for field in fields if not _named(field)]


def _named(field: Field[Any, Any]) -> bool:
    """By its model, as a migration sees it. The key that Django adds is Django's, with its name."""
    return "verbose_name" in field.deconstruct()[3] and not field.auto_created
