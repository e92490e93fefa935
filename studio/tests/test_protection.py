"""What guards every request: the limit on bodies, what logs may say, what JSON can hold."""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from apps.accounts.models import User
from apps.accounts.services import token_create
from apps.accounts.tests.cast import CAST, AsUser
from apps.common.body_limit import Application, Message, Receive, Scope, Send, Uploads, limit_body
from apps.common.renderers import encoded
from apps.common.secret_paths import HideSecretPaths
from studio.uploads import is_of_group

LIMIT = 100
IMPORT = "/api/datasets/sums/import"


async def reads_all(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that reads the whole body and says how long it is."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


async def sent(application: Application, receive: Receive, **scope: Any) -> list[Message]:
    """What the application answers."""
    told: list[Message] = []

    async def send(message: Message) -> None:
        told.append(message)

    await application({"type": "http", "headers": [], **scope}, receive, send)
    return told


async def ask(chunks: list[bytes], announced: str | None = None) -> tuple[int, bytes]:
    waiting = list(chunks)

    async def receive() -> Message:
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    headers = [(b"content-length", announced.encode())] if announced else []
    start, body = await sent(limit_body(reads_all, LIMIT), receive, headers=headers)
    return start["status"], body["body"]


async def test_a_body_within_the_limit_arrives_whole() -> None:
    assert await ask([b"x" * 60, b"x" * 40]) == (200, b"100")


@pytest.mark.parametrize(
    ("chunks", "announced"),
    [([b"x" * 60, b"x" * 41], None), ([b"x"], "101"), ([b"x"], "9" * 30), ([b"x" * 101], "5")],
)
async def test_a_larger_one_is_refused(chunks: list[bytes], announced: str | None) -> None:
    status, body = await ask(chunks, announced)
    assert status == 413
    assert json.loads(body)["error"]["code"] == "too_large"


async def anyone(scope: Scope, group: str) -> bool:
    return True


async def nobody(scope: Scope, group: str) -> bool:
    return False


async def upload(
    path: str,
    size: int,
    *,
    allowed: Callable[[Scope, str], Awaitable[bool]],
    announced: bool = True,
) -> tuple[int, bytes, int]:
    """The status, the body, and how many bytes of the upload were received."""
    left = size

    async def receive() -> Message:
        nonlocal left
        chunk = min(left, 10)
        left -= chunk
        return {"type": "http.request", "body": b"x" * chunk, "more_body": left > 0}

    uploads = [
        Uploads(re.compile(paths), 2 * LIMIT, group, "scope", allowed)
        for group, (paths, _) in settings.UPLOADS.items()
    ]
    headers = [(b"content-length", str(size).encode())] if announced else []
    limited = limit_body(reads_all, LIMIT, uploads=uploads)
    start, body = await sent(limited, receive, headers=headers, path=path)
    return start["status"], body["body"], size - left


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize(
    ("path", "size", "status"),
    [
        (IMPORT, 150, 200),
        (f"{IMPORT}/columns", 150, 200),
        (IMPORT, 201, 413),
        ("/api/uploads", 150, 200),
        ("/api/uploads", 201, 413),
        ("/api/uploads/a", 150, 413),
        ("/api/datasets/sums/import/", 150, 413),
        ("/api/datasets/a/b/import", 150, 413),
        ("/api/runs", 150, 413),
    ],
)
async def test_only_an_import_or_an_upload_may_be_larger(
    path: str, size: int, status: int, announced: bool
) -> None:
    assert (await upload(path, size, allowed=anyone, announced=announced))[0] == status


@pytest.mark.parametrize(("announced", "received"), [(True, 0), (False, LIMIT + 10)])
async def test_an_import_of_who_may_not_send_one_is_not_received(
    announced: bool, received: int
) -> None:
    status, body, taken = await upload(IMPORT, 150, allowed=nobody, announced=announced)
    assert (status, taken) == (413, received)
    error = json.loads(body)["error"]
    assert error["code"] == "too_large"
    assert "curator" in error["message"]
    assert "Log in" in error["remedy"]
    assert (await upload(IMPORT, LIMIT, allowed=nobody, announced=announced))[0] == 200


async def test_a_body_that_never_ends_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.common.body_limit.GRACE_SECONDS", 0.05)

    async def receive() -> Message:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"", "more_body": True}

    start, body = await asyncio.wait_for(sent(limit_body(reads_all, LIMIT), receive), 5)
    assert start["status"] == 408
    error = json.loads(body["body"])["error"]
    assert (error["code"], bool(error["remedy"])) == ("too_slow", True)


async def test_who_has_sent_all_may_stay_as_long_as_the_answer_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("apps.common.body_limit.GRACE_SECONDS", 0.01)
    waiting: list[Message] = [{"type": "http.request", "body": b"x"}]

    async def receive() -> Message:
        if waiting:
            return waiting.pop()
        await asyncio.sleep(0.1)
        return {"type": "http.disconnect"}

    async def stays(scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["body"] == b"x"
        assert (await receive())["type"] == "http.disconnect"
        await send({"type": "http.response.start", "status": 200, "headers": []})

    assert [told["status"] for told in await sent(limit_body(stays, LIMIT), receive)] == [200]


def head(*headers: tuple[bytes, bytes]) -> Scope:
    return {"type": "http", "method": "POST", "path": IMPORT, "headers": list(headers)}


class TestWhoMayUpload:
    @pytest.mark.parametrize("who", CAST)
    def test_by_session(self, as_user: AsUser, who: str) -> None:
        cookies = as_user(who).cookies.output(attrs=[], header="", sep=";").strip()
        scope = head((b"cookie", cookies.encode()))
        assert is_of_group(scope, "curator") is (who in {"curator", "admin"})
        assert is_of_group(scope, "operator") is (who in {"operator", "curator", "admin"})

    @pytest.mark.parametrize(
        ("who", "scope", "may"),
        [("curator", "curate", True), ("curator", "run", False), ("viewer", "curate", False)],
    )
    def test_by_token(self, cast: dict[str, User], who: str, scope: str, may: bool) -> None:
        expires = timezone.now() + timedelta(days=1)
        _, secret = token_create(user=cast[who], name="t", scopes=[scope], expires_at=expires)
        assert is_of_group(head((b"authorization", f"Bearer {secret}".encode())), "curator") is may

    @pytest.mark.django_db
    @pytest.mark.parametrize(
        "header",
        [
            (b"cookie", b"studio_session=" + b"x" * 32),
            (b"cookie", b"\xff; studio_session=\x00"),
            (b"authorization", b"Bearer mas_nothing"),
            (b"authorization", b"Bearer \xff\x00"),
            (b"authorization", b"Basic YTpi"),
        ],
    )
    def test_by_what_is_no_proof(self, header: tuple[bytes, bytes]) -> None:
        assert is_of_group(head(header), "operator") is False


@pytest.mark.parametrize("place", ["/login/once", "/shared", "/api/shared"])
def test_links_that_let_somebody_in_stay_out_of_logs(place: str) -> None:
    message = "Method Not Allowed (%s): %s"
    arguments = ("HEAD", f"{place}/abc-DEF_123")
    record = logging.LogRecord("django.request", 30, "", 0, message, arguments, None)
    assert HideSecretPaths().filter(record)
    assert record.getMessage() == f"Method Not Allowed (HEAD): {place}/…"


def test_numbers_beyond_64_bits_are_no_error() -> None:
    assert json.loads(encoded({"cost": 2 * 10**19})) == {"cost": 2 * 10**19}
