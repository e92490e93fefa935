"""Static files are answered before the middleware that protects pages."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse

from studio.settings import add_static_headers


def test_static_files_cannot_be_framed() -> None:
    headers: Any = HttpResponse().headers
    add_static_headers(headers, "index.html", "/static/index.html")
    assert headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
