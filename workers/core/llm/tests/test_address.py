"""A base URL may have a query, which every request then has."""

from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from workers.core.llm.address import under
from workers.core.llm.client import OpenAIClient
from workers.core.llm.probe import other_urls, probe_endpoint
from workers.core.llm.tests.helpers import ask, endpoint_at


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://a.example/v1", "https://a.example/v1/models"),
        ("https://a.example/v1/", "https://a.example/v1/models"),
        ("https://a.example", "https://a.example/models"),
        ("https://a.example:8443/", "https://a.example:8443/models"),
        ("https://a.example/v1?api-version=1", "https://a.example/v1/models?api-version=1"),
        ("https://a.example/v1/?a=1&b=x%2By", "https://a.example/v1/models?a=1&b=x%2By"),
        ("https://a.example/my%20team/v1", "https://a.example/my%20team/v1/models"),
    ],
)
def test_addresses_under_it(base: str, url: str) -> None:
    assert str(under(base, "models")) == url


def test_other_base_urls_keep_the_query() -> None:
    assert other_urls("https://a.example?api-version=1")[0] == "https://a.example/v1?api-version=1"
    pasted = "https://a.example/v1/chat/completions?api-version=1"
    assert other_urls(pasted) == ["https://a.example/v1?api-version=1"]


async def test_a_server_that_wants_its_version_there_answers() -> None:
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(f"{request.path} {request.query_string}")
        if request.query.get("api-version") != "2026-01":
            return web.json_response({"error": {"message": "no version"}}, status=404)
        if request.path.endswith("/models"):
            return web.json_response({"data": [{"id": "stub"}]})
        message = {"role": "assistant", "content": "4"}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app) as server, OpenAIClient() as client:
        endpoint = endpoint_at(f"{server.make_url('/openai/v1')}?api-version=2026-01")
        assert (await client.chat(endpoint, ask("2 + 2?"))).text == "4"
        assert (await probe_endpoint(endpoint)).models == ("stub",)
    assert asked == [
        "/openai/v1/chat/completions api-version=2026-01",
        "/openai/v1/models api-version=2026-01",
    ]
