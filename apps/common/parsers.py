"""JSON bodies by orjson: strict, fast, and safe with hostile nesting."""

from collections.abc import Mapping
from typing import IO, Any

import orjson
from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from apps.common.errors import ApplicationError, too_large


def read_limited(stream: IO[Any]) -> bytes:
    """The body. Raises ApplicationError (413) if it is larger than
    `DATA_UPLOAD_MAX_MEMORY_SIZE`."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    body: bytes = stream.read(limit + 1)
    if len(body) > limit:
        raise too_large(limit)
    return body


MAX_DEPTH = 64
"""Levels of nested lists and objects. Validating a body takes several stack frames per level."""


def nested_too_deep(value: Any) -> bool:
    layer = [value]
    for _depth in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for item in layer:
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        if not inner:
            return False
        layer = inner
    return True


class OrjsonParser(BaseParser):
    """Refuses NaN, broken Unicode, and nesting deeper than `MAX_DEPTH`, which would use up the
    stack. Answers 413 to a body over `DATA_UPLOAD_MAX_MEMORY_SIZE`, which DRF itself never
    checks."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            body = orjson.loads(read_limited(stream))
        except orjson.JSONDecodeError as error:
            raise ParseError(_("The body is not JSON: %(error)s") % {"error": error}) from error
        if nested_too_deep(body):
            raise ApplicationError(
                code="too_deep",
                message=_("The body is nested more than %(at_most)s levels deep.")
                % {"at_most": MAX_DEPTH},
                remedy=_("Nest lists and objects less deeply."),
            )
        return body
