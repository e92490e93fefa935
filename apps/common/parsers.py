"""JSON bodies by orjson: strict, fast, and safe with hostile nesting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

import orjson
from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from apps.common.errors import too_large


def read_limited(stream: IO[Any]) -> bytes:
    """The body. Raises ApplicationError (413) beyond `DATA_UPLOAD_MAX_MEMORY_SIZE`."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    body: bytes = stream.read(limit + 1)
    if len(body) > limit:
        raise too_large(limit)
    return body


class OrjsonParser(BaseParser):
    """Refuses NaN, broken Unicode and nesting deeper than 1,024 instead of running out of stack;
    answers 413 to a body over `DATA_UPLOAD_MAX_MEMORY_SIZE`, which DRF itself never checks."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            return orjson.loads(read_limited(stream))
        except orjson.JSONDecodeError as error:
            raise ParseError(_("The body is not JSON: %(error)s") % {"error": error}) from error
