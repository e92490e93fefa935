"""A base URL may have a query, which every request then has."""

import pytest
from aiohttp import web

from workers.core.llm.client import OpenAIClient
from workers.core.llm.probe import other_urls, probe_endpoint
from workers.core.llm.target import under
from workers.core.llm.tests.helpers import ask, endpoint_at
from workers.core.llm.tests.test_probe import site


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

    def answer(request: web.BaseRequest) -> web.Response:
        asked.append(f"{request.path} {request.query_string}")
        if request.query.get("api-version") != "2026-01":
            return web.json_response({"error": {"message": "no version"}}, status=404)
        if request.path.endswith("/models"):
            return web.json_response({"data": [{"id": "stub"}]})
        message = {"role": "assistant", "content": "4"}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})

    async with site(answer) as url, OpenAIClient() as client:
        endpoint = endpoint_at(f"{url.removesuffix('/v1')}/openai/v1?api-version=2026-01")
        assert (await client.chat(endpoint, ask("2 + 2?"))).text == "4"
        assert (await probe_endpoint(endpoint)).models == ("stub",)
    assert asked == [
        "/openai/v1/chat/completions api-version=2026-01",
        "/openai/v1/models api-version=2026-01",
    ]
