"""Hosts whose name server never answers: real look-ups that hang, and everybody else's go on."""

import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async

from apps.webhooks import reasons, sending
from apps.webhooks.sending import Notice, send
from apps.webhooks.signing import signature
from apps.webhooks.tests.receiver import Receiver
from workers.core.net.lookups import Lookups

GETADDRINFO = socket.getaddrinfo


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Nobody answers for these names; of other ones this machine is told."""
    asked: list[str] = []
    over = threading.Event()

    def getaddrinfo(host: str, port: int, **options: Any) -> Any:
        if host.startswith("silent"):
            asked.append(host)
            over.wait(30)
            raise socket.gaierror(socket.EAI_AGAIN, "no answer")
        return GETADDRINFO("127.0.0.1", port, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(sending, "LOOKUPS", Lookups(limit=4, share=3))
    monkeypatch.setattr(reasons, "LOOKUP_SECONDS", 0.3)
    yield asked
    over.set()


def notice(url: str, owner_id: UUID) -> Notice:
    return Notice(
        url=url,
        owner_id=owner_id,
        secrets=("whsec_key",),
        event="test",
        delivery="d",
        body=b"{}",
        allow_private=True,
    )


def test_one_owners_silent_names_hold_up_nobody_elses(
    silent: list[str], receiver: Receiver
) -> None:
    owner = uuid4()
    hostile = [notice(f"http://silent{number}.example/", owner) for number in range(10)]
    good = notice(receiver.url.replace("127.0.0.1", "chat.example"), uuid4())
    began = time.monotonic()
    *told, taken = send([*hostile, good])
    assert time.monotonic() - began < 5
    assert taken.http_status == 200
    assert len(silent) == 3
    codes = [each.failure.code for each in told if each.failure]
    assert sorted(codes) == ["dns_timeout"] * 3 + ["studio_busy"] * 7
    assert [each.asked for each in told] == [code == "dns_timeout" for code in codes]
    assert send([good])[0].failure is None  # while the three still hang


def test_a_name_is_asked_for_once(silent: list[str]) -> None:
    same = [notice("http://silent.example/", uuid4()) for _ in range(6)]
    assert {each.failure.code for each in send(same) if each.failure} == {"dns_timeout"}
    assert silent == ["silent.example"]


def test_the_answer_does_not_tell_which_names_there_are_inside(
    monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    """The attack: a webhook to a guessed name, and a look at what its test says and how long it
    takes. A name server inside answers sooner than one that has to ask others."""

    def getaddrinfo(host: str, port: int, **options: Any) -> Any:
        if host == "vault.example":
            return GETADDRINFO("10.0.0.7", port, **options)
        time.sleep(0.3)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    names = ("vault.example", "guess.example")
    hostile = [notice(f"http://{name}/x", uuid4()) for name in names]
    monkeypatch.setattr(reasons, "UNKNOWN_SECONDS", 1.0)
    told = [send([replace(each, allow_private=False)])[0] for each in hostile]
    assert all(1_000 <= each.milliseconds < 1_250 for each in told), told
    there, nowhere = (each.failure for each in told)
    assert there is not None
    assert nowhere is not None
    assert there.code == nowhere.code == "dns_failed"
    assert there.message.replace("vault", "guess") == nowhere.message
    assert there.remedy == nowhere.remedy
    literal = send([replace(hostile[0], url=receiver.url, allow_private=False)])[0].failure
    assert literal is not None
    assert literal.code == "address_refused"  # whoever wrote it knows it


def test_what_was_checked_is_what_is_connected_to(
    monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    """DNS rebinding needs a second look-up between the check and the connection: there is none. The
    next delivery looks the name up and checks it again."""
    addresses = ["127.0.0.1", "169.254.169.254"]

    def getaddrinfo(host: str, port: int, **options: Any) -> Any:
        return GETADDRINFO(addresses.pop(0), port, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(reasons, "UNKNOWN_SECONDS", 0.1)
    turning = notice(receiver.url.replace("127.0.0.1", "rebind.example"), uuid4())
    first, second = (send([turning])[0] for _ in range(2))
    assert (first.http_status, addresses) == (200, [])
    assert second.failure is not None
    assert second.failure.code == "dns_failed"
    assert len(receiver.received) == 1


async def test_the_loop_of_the_server_is_left_alone(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def seen(*arguments: Any, **options: Any) -> str:
        threads.append(threading.current_thread())
        return signature(*arguments, **options)

    monkeypatch.setattr("apps.webhooks.sending.signature", seen)
    [taken] = await sync_to_async(send, thread_sensitive=False)([notice(receiver.url, uuid4())])
    assert taken.http_status == 200
    assert threads != [threading.current_thread()]
