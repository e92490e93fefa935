"""Bodies that are hostile or broken."""

from __future__ import annotations

from io import BytesIO

import pytest
from pytest_django import Settings
from rest_framework.exceptions import ParseError

from apps.common.errors import ApplicationError
from apps.common.parsers import OrjsonParser


def test_json_is_read() -> None:
    assert OrjsonParser().parse(BytesIO('{"a": ["ä", 1.5]}'.encode())) == {"a": ["ä", 1.5]}


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"NaN", b"\xff", b'"\\ud800"', b"[" * 100_000, b"[" * 5_000 + b"]" * 5_000],
)
def test_what_is_no_json_is_the_clients_fault(body: bytes) -> None:
    with pytest.raises(ParseError):
        OrjsonParser().parse(BytesIO(body))


def test_a_body_over_the_limit_is_not_read_on(settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    stream = BytesIO(b'"' + b"x" * 1_000 + b'"')
    with pytest.raises(ApplicationError) as refused:
        OrjsonParser().parse(stream)
    assert refused.value.status_code == 413
    assert stream.tell() == 11
