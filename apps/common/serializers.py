"""Pieces of HTTP bodies that several apps share."""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from apps.common.errors import ApplicationError, FieldError

SLUG = r"^[a-z0-9][a-z0-9_-]{0,62}$"
NOT_SLUG = _("Use 1 to 63 of a–z, 0–9, - and _, beginning with a letter or digit.")


class SlugKeyField(serializers.RegexField):
    """A key as `workers.core.specs.Slug` has it."""

    def __init__(self, **options: Any) -> None:
        if options.get("read_only"):
            super().__init__(SLUG, **options)
            return
        super().__init__(SLUG, max_length=63, error_messages={"invalid": NOT_SLUG}, **options)


def check_slug(field: str, value: str) -> None:
    """For what does not come through a serializer. Raises ApplicationError."""
    if not re.fullmatch(SLUG, value):
        raise ApplicationError.of_fields([FieldError(field, "invalid", str(NOT_SLUG))])


class FailureSerializer(serializers.Serializer[dict[str, str]]):
    """What went wrong and the way out."""

    code = serializers.CharField()
    message = serializers.CharField()
    remedy = serializers.CharField(allow_blank=True)
