"""Static files are answered before the middleware that protects pages."""

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.http.response import StreamingHttpResponse
from django.test import Client

from studio.settings import add_static_headers

ASSETS = Path(settings.BASE_DIR) / "frontend" / "dist" / "assets"
LEAST_COMPRESSED = 1024


@pytest.fixture(autouse=True)
def _static_files(settings: Any) -> None:
    settings.WHITENOISE_USE_FINDERS = True


@pytest.fixture(scope="module")
def script() -> Path:
    """The largest of the built pages, which every visit begins with."""
    assert ASSETS.is_dir(), "The pages are not built: bin/studio test builds them."
    return max(ASSETS.glob("index-*.js"), key=lambda path: path.stat().st_size)


def fetched(name: str, accepted: str = "") -> tuple[Any, bytes]:
    """The headers and what travels."""
    response = Client().get(f"/static/{name}", headers={"accept-encoding": accepted})
    assert isinstance(response, StreamingHttpResponse)
    assert response.status_code == 200
    return response.headers, response.getvalue()


def test_static_files_cannot_be_framed() -> None:
    headers: Any = HttpResponse().headers
    add_static_headers(headers, "index.html", "/static/index.html")
    assert headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_a_script_travels_compressed_to_whoever_reads_that(script: Path) -> None:
    content = script.read_bytes()
    headers, body = fetched(f"assets/{script.name}", "gzip, deflate")
    assert headers["Content-Encoding"] == "gzip"
    assert headers["Vary"] == "Accept-Encoding"
    assert int(headers["Content-Length"]) == len(body) < len(content) / 2.5
    assert gzip.decompress(body) == content

    headers, shorter = fetched(f"assets/{script.name}", "gzip, deflate, br, zstd")
    assert headers["Content-Encoding"] == "br"
    assert len(shorter) < len(body)

    headers, plain = fetched(f"assets/{script.name}", "identity")
    assert "Content-Encoding" not in headers
    assert plain == content


def test_no_text_of_the_pages_travels_whole(script: Path) -> None:
    texts = [path for path in ASSETS.iterdir() if path.suffix in {".js", ".css"}]
    whole = [
        path.name
        for path in texts
        if path.stat().st_size >= LEAST_COMPRESSED
        and not all(path.with_name(f"{path.name}.{end}").exists() for end in ("gz", "br"))
    ]
    assert script in texts
    assert whole == []


def test_files_named_by_their_content_are_kept_for_good_and_no_others(script: Path) -> None:
    font = next(ASSETS.glob("inter-latin-wght-normal-*.woff2"))
    for name in (script.name, font.name):
        headers, _ = fetched(f"assets/{name}")
        assert "immutable" in headers["Cache-Control"]
        assert re.search(r"max-age=\d{8,}", headers["Cache-Control"])
    headers, _ = fetched("favicon.svg")
    assert headers["Cache-Control"] == "max-age=60, public"
