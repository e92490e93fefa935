"""JSON by orjson, because a trace of thousands of events is a hot path; and responses that are
files."""

from collections.abc import Mapping
from typing import Any

import orjson
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request


class OrjsonRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None
    render_style = "binary"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        if data is None:
            return b""
        return encoded(data)


def encoded(data: Any) -> bytes:
    """JSON, times in UTC. Stored JSON may hold integers beyond 64 bits, which orjson refuses."""
    try:
        return orjson.dumps(data, default=str, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_UTC_Z)
    except TypeError:
        return JSONRenderer().render(data)


class IgnoresFormat(DefaultContentNegotiation):
    """For a view that answers with a file: `?format=` means the file's format, not the
    renderer's."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type
