"""“Test connection” lists the models or names the cause, and the URL that would work."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from workers.core.llm.probe import other_urls, probe_endpoint
from workers.core.llm.tests.helpers import endpoint_at
from workers.core.testing.stub_llm import RunningStub, running_stub


async def test_it_lists_the_models(stub: RunningStub) -> None:
    result = await probe_endpoint(endpoint_at(stub.url))
    assert (result.ok, result.failure) == (True, None)
    assert result.models == ("stub", "stub-large")
    assert 0 < result.seconds < 5


async def failure(url: str, **fields: Any) -> tuple[str, str]:
    """`(code, message and remedy)` of a probe that fails."""
    result = await probe_endpoint(endpoint_at(url, **fields))
    assert not result.ok
    assert result.failure is not None
    return result.failure.code, f"{result.failure.message} {result.failure.remedy}"


async def test_a_model_it_has_not_is_named_with_the_nearest(stub: RunningStub) -> None:
    result = await probe_endpoint(endpoint_at(stub.url, "stub-larg"))
    assert result.models == ("stub", "stub-large")
    assert result.failure is not None
    assert result.failure.code == "model_not_found"
    assert result.failure.remedy == "Did you mean: stub-large, stub"


@pytest.mark.parametrize("path", ["", "/", "/v1/chat/completions", "/chat", "/v1/models"])
async def test_the_url_that_would_work_is_named(stub: RunningStub, path: str) -> None:
    code, said = await failure(stub.root + path)
    assert code == "wrong_base_url"
    assert f"Use {stub.url} as the base URL." in said


async def test_a_v1_too_many(stub: RunningStub) -> None:
    with running_stub(missing_prefix=True) as bare:
        code, said = await failure(f"{bare.root}/v1")
    assert code == "wrong_base_url"
    assert f"Use {bare.root} as" in said


async def test_a_missing_v1_is_seen_behind_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_stub(api_key="sk-secret") as stub:
        assert (await failure(stub.url))[0] == "unauthorized"
        monkeypatch.setenv("STUB_API_KEY", "sk-wrong")
        code, said = await failure(stub.url, api_key_env="STUB_API_KEY")
        assert code == "unauthorized"
        assert "STUB_API_KEY" in said
        assert "sk-wrong" not in said
        monkeypatch.setenv("STUB_API_KEY", "sk-secret")
        assert (await probe_endpoint(endpoint_at(stub.url, api_key_env="STUB_API_KEY"))).ok


async def test_causes_below_http(stub: RunningStub) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        refused = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        assert (await failure(refused))[0] == "connection_refused"
    assert (await failure("http://no-such-host.invalid/v1"))[0] == "dns_failed"
    assert (await failure(stub.url.replace("http:", "https:")))[0] == "tls_failed"
    assert (await failure(stub.url, allow_private_address=False))[0] == "address_refused"
    assert (await failure("ftp://example.com"))[0] == "address_refused"
    assert (await failure(stub.url, api_key_env="NOT_SET_API_KEY"))[0] == "missing_api_key"


Answer = Callable[[web.BaseRequest], web.Response]


@asynccontextmanager
async def site(answer: Answer, delay: float = 0.0) -> AsyncIterator[str]:
    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        await asyncio.sleep(delay)
        return answer(request)

    runner = web.ServerRunner(web.Server(handle), shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


PAGE = {"text": "<!doctype html><p>Welcome</p>", "content_type": "text/html"}
AWAY = {"status": 301, "headers": {"Location": "http://169.254.169.254/v1/models"}}
LOADING = {"status": 503, "text": "loading model"}


@pytest.mark.parametrize(
    ("answer", "delay", "code", "said"),
    [
        (PAGE, 0.0, "not_an_llm_server", "web page"),
        (AWAY, 0.0, "redirected", "redirects to http://169.254.169.254/v1."),
        ({}, 0.8, "timeout", "0.2 s"),
        (LOADING, 0.0, "server_error", "loading model"),
    ],
)
async def test_what_another_answer_means(
    answer: dict[str, Any], delay: float, code: str, said: str
) -> None:
    async with site(lambda _: web.Response(**answer), delay) as url:
        found = await failure(url, timeout_seconds=0.2 if delay else 5.0)
    assert found[0] == code
    assert said in found[1]


async def test_a_server_without_a_list_of_models_is_asked_for_a_token() -> None:
    def answer(request: web.BaseRequest) -> web.Response:
        if not request.path.endswith("/chat/completions"):
            return web.Response(status=404)
        return web.json_response({"choices": [{"message": {"content": "yes"}}]})

    async with site(answer) as url:
        result = await probe_endpoint(endpoint_at(url))
    assert (result.ok, result.models) == (True, ())


def test_other_urls_are_few_and_near() -> None:
    assert other_urls("http://h:1/v1/chat/completions") == ["http://h:1/v1"]
    assert other_urls("http://h:1") == ["http://h:1/v1", "http://h:1/api/v1"]
    assert other_urls("http://h:1/v1") == ["http://h:1/api/v1", "http://h:1"]
