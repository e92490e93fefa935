"""How large a model is, as lists of models of several servers tell."""

from typing import Any

import orjson
import pytest
from aiohttp import web

from workers.core.llm.model_size import read_parameters
from workers.core.llm.probe import probe_endpoint
from workers.core.llm.tests.helpers import endpoint_at
from workers.core.llm.tests.test_probe import site
from workers.core.net.outbound import Fetched
from workers.core.testing.stub_llm import RunningStub

LLAMA_CPP = {
    "models": [
        {"name": "qwen05b.gguf", "model": "qwen05b.gguf", "details": {"parameter_size": ""}}
    ],
    "object": "list",
    "data": [
        {"id": "other.gguf", "meta": {"n_params": 7_000_000_000}},
        {"id": "qwen05b.gguf", "owned_by": "llamacpp", "meta": {"n_params": 494_032_768}},
    ],
}
TAGS = {"models": [{"name": "qwen2.5:0.5b", "details": {"parameter_size": "494.03M"}}]}


def fetched(body: object, status: int = 200) -> Fetched:
    return Fetched("http://x/v1/models", status, "application/json", orjson.dumps(body))


def listed(**row: Any) -> Fetched:
    return fetched({"data": [{"id": "m", **row}]})


def test_llama_cpp_tells() -> None:
    assert read_parameters(fetched(LLAMA_CPP), "qwen05b.gguf") == 494_032_768
    assert read_parameters(fetched(LLAMA_CPP), "other.gguf") == 7_000_000_000
    assert read_parameters(fetched(LLAMA_CPP), "third.gguf") is None


def test_ollama_tells_in_words() -> None:
    assert read_parameters(fetched(TAGS), "qwen2.5:0.5b") == 494_030_000


@pytest.mark.parametrize(
    ("row", "parameters"),
    [
        ({"parameters": 8_000_000_000}, 8_000_000_000),
        ({"metadata": {"parameter_count": 3}}, 3),
        ({"details": {"parameter_size": "7.6B"}}, 7_600_000_000),
        ({"parameter_size": "1.5 b"}, 1_500_000_000),
        ({}, None),
        ({"meta": None}, None),
        ({"meta": {"n_params": 0}}, None),
        ({"meta": {"n_params": -5}}, None),
        ({"meta": {"n_params": True}}, None),
        ({"meta": {"n_params": "many"}}, None),
        ({"meta": {"n_params": 10**18}}, None),
        ({"meta": [1]}, None),
        ({"parameters": ["temperature", "top_p"]}, None),
    ],
)
def test_what_is_no_number_of_parameters_tells_nothing(
    row: dict[str, Any], parameters: int | None
) -> None:
    assert read_parameters(listed(**row), "m") == parameters


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": ["m", 3, None]}, {"models": {}}])
def test_a_list_that_is_none_tells_nothing(body: object) -> None:
    assert read_parameters(fetched(body), "m") is None
    assert read_parameters(fetched(LLAMA_CPP, status=404), "qwen05b.gguf") is None
    broken = Fetched("http://x/v1/models", 200, "text/html", b"<html>")
    assert read_parameters(broken, "m") is None


async def test_a_test_of_the_connection_asks(stub: RunningStub) -> None:
    async with site(lambda _: web.json_response(LLAMA_CPP)) as url:
        result = await probe_endpoint(endpoint_at(url, "qwen05b.gguf"))
    assert (result.ok, result.parameters) == (True, 494_032_768)
    assert (await probe_endpoint(endpoint_at(stub.url))).parameters is None


async def test_ollama_is_asked_where_it_tells() -> None:
    def answer(request: web.BaseRequest) -> web.Response:
        if request.path == "/api/tags":
            return web.json_response(TAGS)
        return web.json_response({"data": [{"id": "qwen2.5:0.5b", "owned_by": "library"}]})

    async with site(answer) as url:
        result = await probe_endpoint(endpoint_at(url, "qwen2.5:0.5b"))
    assert result.parameters == 494_030_000
