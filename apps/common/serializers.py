"""Pieces of HTTP bodies that several apps share."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from django.db.models import Model
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request

from apps.common.errors import ApplicationError, FieldError

SLUG = r"^[a-z0-9][a-z0-9_-]{0,62}$"
NOT_SLUG = _("Use 1 to 63 of a–z, 0–9, - and _, beginning with a letter or digit.")

Row = dict[str, Any]
M = TypeVar("M", bound=Model)
Sent = TypeVar("Sent", bound=serializers.BaseSerializer[Any])


def valid(sent: Sent) -> Sent:
    """Raises DRF's ValidationError, which names every wrong field."""
    sent.is_valid(raise_exception=True)
    return sent


def query_of(kind: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """The parameters in the address, read by `kind`. Raises DRF's ValidationError."""
    return dict(valid(kind(data=request.query_params.dict())).validated_data)


class Object(serializers.Serializer[dict[str, Any]]):
    """Its fields may have the names of DRF's own options: `label`, `source`."""

    if TYPE_CHECKING:
        fields: Any
        label: Any
        required: Any
        source: Any


class FreeModelSerializer(serializers.ModelSerializer[M]):
    """The same for a model."""

    if TYPE_CHECKING:
        fields: Any
        label: Any


class SlugKeyField(serializers.RegexField):
    """A key as `workers.core.specs.Slug` defines it."""

    def __init__(self, **options: Any) -> None:
        if options.get("read_only"):
            super().__init__(SLUG, **options)
            return
        super().__init__(SLUG, max_length=63, error_messages={"invalid": NOT_SLUG}, **options)


def check_slug(field: str, value: str) -> None:
    """For values that do not come through a serializer. Raises ApplicationError."""
    if not re.fullmatch(SLUG, value):
        raise ApplicationError.of_fields([FieldError(field, "invalid", str(NOT_SLUG))])


class FailureSerializer(serializers.Serializer[dict[str, str]]):
    """What went wrong, and what to do about it."""

    code = serializers.CharField()
    message = serializers.CharField()
    remedy = serializers.CharField(allow_blank=True)


class RowSerializer(serializers.Serializer[Row]):
    """Lists rows that hold each field's value under its source, ready for JSON. DRF looks a value
    up through several calls, which took most of the time of a long list."""

    def to_representation(self, instance: Row) -> Row:
        return {name: read(instance) for name, read in self._readers}

    @cached_property
    def _readers(self) -> list[tuple[str, Callable[[Row], Any]]]:
        return [(name, _reader(field)) for name, field in self.fields.items()]


AS_IT_IS = frozenset(
    {
        serializers.CharField,
        serializers.ChoiceField,
        serializers.DateTimeField,
        serializers.DictField,
        serializers.IntegerField,
        serializers.UUIDField,
    }
)


def _reader(field: serializers.Field[Any, Any, Any, Any]) -> Callable[[Row], Any]:
    source = str(field.source)
    if source == "*":
        return field.to_representation
    if type(field) in AS_IT_IS:
        return itemgetter(source)

    def read(row: Row) -> Any:
        value = row[source]
        return None if value is None else field.to_representation(value)

    return read


class NameOrNull(serializers.CharField):
    """A name that the table stores as "" when there is none."""

    def to_representation(self, value: Any) -> Any:
        return value or None
