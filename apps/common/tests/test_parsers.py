"""Bodies that are hostile or broken."""

from io import BytesIO

import pytest
from pytest_django import Settings
from rest_framework.exceptions import ParseError

from apps.accounts.tests.cast import AsUser
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


@pytest.mark.parametrize("levels", [65, 200, 1_000, 1_020])
@pytest.mark.parametrize(("opened", "closed"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
def test_what_is_nested_too_deep_is_refused(levels: int, opened: bytes, closed: bytes) -> None:
    with pytest.raises((ApplicationError, ParseError), match=r"nested more than 64|not JSON"):
        OrjsonParser().parse(BytesIO(opened * levels + b"1" + closed * levels))


def test_what_is_nested_less_is_read() -> None:
    body = b"[" * 64 + b"1" + b"]" * 64
    assert OrjsonParser().parse(BytesIO(body))


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/api/auth/login", "/api/runs", "/api/designs/check"])
@pytest.mark.parametrize("who", ["anonymous", "operator"])
def test_no_address_answers_500_to_it(as_user: AsUser, address: str, who: str) -> None:
    for levels in (60, 500, 1_000):
        nested = "[" * levels + "]" * levels
        body = f'{{"username": {nested}, "draft": {{"name": {nested}}}}}'
        answer = as_user(who).post(address, body, content_type="application/json")
        assert 400 <= answer.status_code < 500, answer.content


def test_a_body_over_the_limit_is_not_read_on(settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    stream = BytesIO(b'"' + b"x" * 1_000 + b'"')
    with pytest.raises(ApplicationError) as refused:
        OrjsonParser().parse(stream)
    assert refused.value.status_code == 413
    assert stream.tell() == 11
