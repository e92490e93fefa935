"""Every way a server can fail, on a real connection: the cause is named, the right ones retried."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from workers.core.llm.client import OpenAIClient
from workers.core.llm.tests.helpers import Deltas, ask, endpoint_at, failing, faulty
from workers.core.llm.types import LLMError
from workers.core.specs import EndpointSpec
from workers.core.testing.stub_llm import RunningStub

CODES = {
    "401": "unauthorized",
    "403": "forbidden",
    "404": "model_not_found",
    "400-context": "context_length_exceeded",
    "429-quota": "quota_exceeded",
    "html": "garbage_reply",
    "wrong-shape": "garbage_reply",
    "empty": "garbage_reply",
    "redirect": "redirected",
    "endless": "reply_too_long",
    # These are tried again.
    "429": "rate_limited",
    "500": "server_error",
    "invalid-json": "stream_interrupted",
    "half-stream": "stream_interrupted",
    "disconnect": "connection_lost",
}


async def failure(client: OpenAIClient, endpoint: EndpointSpec, stream: bool = False) -> LLMError:
    return await failing(
        client.chat(endpoint, ask("hi", max_tokens=64), Deltas() if stream else None)
    )


TRANSIENT = {"429", "500", "invalid-json", "half-stream", "disconnect"}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("kind", "code"), CODES.items())
async def test_faults_fail_at_once_or_are_tried_again(
    client: OpenAIClient, stub: RunningStub, kind: str, code: str, stream: bool
) -> None:
    stub.clear()
    again = 2 if kind in TRANSIENT else 0
    error = await failure(client, faulty(stub, kind), stream=stream)
    assert (error.code, error.permanent, len(error.failed_tries)) == (code, not again, again)
    assert error.message
    assert error.remedy
    assert stub.log()["total"] == 1 + again


async def test_an_error_inside_a_stream_is_tried_again(
    client: OpenAIClient, stub: RunningStub
) -> None:
    error = await failure(client, faulty(stub, "error-event"), stream=True)
    assert (error.code, len(error.failed_tries)) == ("server_error", 2)
    assert "Out of memory" in error.message


async def test_an_endless_event_is_cut_off(client: OpenAIClient, stub: RunningStub) -> None:
    assert (await failure(client, faulty(stub, "huge"), stream=True)).code == "reply_too_long"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", ["hang", "hang-mid-stream"])
async def test_a_server_that_hangs_times_out(
    client: OpenAIClient, stub: RunningStub, kind: str, stream: bool
) -> None:
    endpoint = faulty(stub, kind, timeout_seconds=0.2)
    started = time.perf_counter()
    error = await failure(client, endpoint, stream=stream)
    assert (error.code, error.permanent, len(error.failed_tries)) == ("timeout", False, 1)
    assert "0.2 s" in error.message
    assert time.perf_counter() - started < 3


async def test_a_retry_that_works_is_counted(client: OpenAIClient, stub: RunningStub) -> None:
    result = await client.chat(endpoint_at(stub.url), ask("limited twice"))
    assert result.text == "at last"
    assert [each.code for each in result.failed_tries] == ["rate_limited"] * 2
    assert all(each.message for each in result.failed_tries)


async def test_a_stream_taken_up_again_repeats_nothing(
    client: OpenAIClient, stub: RunningStub
) -> None:
    deltas: list[str] = []
    result = await client.chat(endpoint_at(stub.url), ask("word and then"), deltas.append)
    assert (result.text, len(result.failed_tries)) == ("word word word and then more", 1)
    assert "".join(deltas) == result.text


@pytest.mark.parametrize(
    ("question", "text"), [("something else", "entirely different"), ("shorter", "word ")]
)
async def test_another_text_after_a_retry_starts_over(
    client: OpenAIClient, stub: RunningStub, question: str, text: str
) -> None:
    deltas = Deltas()
    result = await client.chat(endpoint_at(stub.url), ask(question), deltas)
    assert (result.text, len(result.failed_tries)) == (text, 1)
    assert ("".join(deltas), deltas.restarts) == (text, 1)


async def test_hostile_error_text_is_cut(client: OpenAIClient, stub: RunningStub) -> None:
    error = await failure(client, faulty(stub, "500"))
    assert "xxx" in error.message
    assert len(error.message) < 450


async def test_a_key_that_a_server_repeats_stays_secret(
    client: OpenAIClient, stub: RunningStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_API_KEY", "sk-very-secret")
    error = await failure(client, faulty(stub, "echo-key", api_key_env="STUB_API_KEY"))
    assert "[key]" in error.message
    assert "secret" not in f"{error} {error.message} {error.remedy} {error.__cause__!r}"


async def test_a_url_without_v1_names_the_way_out(client: OpenAIClient, stub: RunningStub) -> None:
    error = await failure(client, endpoint_at(stub.root))
    assert (error.code, error.permanent) == ("not_found", True)
    assert "/v1" in error.remedy


async def test_nobody_listens(client: OpenAIClient) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        error = await failure(client, endpoint_at(url))
    assert (error.code, len(error.failed_tries)) == ("connection_refused", 2)


async def test_an_unknown_host(client: OpenAIClient) -> None:
    error = await failure(client, endpoint_at("http://no-such-host.invalid/v1"))
    assert (error.code, len(error.failed_tries)) == ("dns_failed", 2)


async def test_tls_where_there_is_none(client: OpenAIClient, stub: RunningStub) -> None:
    error = await failure(client, endpoint_at(stub.url.replace("http:", "https:")))
    assert (error.code, error.permanent) == ("tls_failed", True)


@contextmanager
def answering(raw: bytes) -> Iterator[str]:
    """A server that sends these bytes to whoever connects, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            try:
                while True:
                    with listener.accept()[0] as connection:
                        connection.recv(65_536)
                        connection.sendall(raw)
            except OSError:
                return

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        listener.shutdown(socket.SHUT_RDWR)


async def test_a_server_that_does_not_speak_http(client: OpenAIClient) -> None:
    with answering(b"SSH-2.0-OpenSSH_9.6\r\n") as url:
        error = await failure(client, endpoint_at(url))
    assert (error.code, error.permanent) == ("garbage_reply", True)
