"""The client over a real server: answers, streams, usage, cost, tools, concurrency."""

import asyncio

import pytest

from workers.core.llm.client import OpenAIClient
from workers.core.llm.tests.helpers import Deltas, ask, endpoint_at, eventually, failing, faulty
from workers.core.llm.types import ChatMessage, ChatRequest, LLMError, ToolCall
from workers.core.specs import Usage
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Raw

FRANCE = "What is the capital of France?"
PARIS = "Paris is the capital of France."


@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer(client: OpenAIClient, stub: RunningStub, stream: bool) -> None:
    endpoint = endpoint_at(stub.url, prompt_price=2.0, completion_price=10.0)
    deltas: list[str] = []
    result = await client.chat(endpoint, ask(FRANCE), deltas.append if stream else None)
    assert (result.text, result.finish_reason) == (PARIS, "stop")
    assert (result.usage.prompt_tokens, result.usage.completion_tokens) == (7, 7)
    assert result.usage.cost == pytest.approx((7 * 2 + 7 * 10) / 1e6)
    assert (len(result.failed_tries), result.cached) == (0, False)
    assert 0 < result.seconds < 5
    assert "".join(deltas) == (PARIS if stream else "")


async def test_deltas_come_while_the_model_speaks(client: OpenAIClient) -> None:
    with running_stub(chunk_latency=0.05) as slow:
        deltas: list[str] = []
        answer = asyncio.create_task(client.chat(endpoint_at(slow.url), ask("hi"), deltas.append))
        await eventually(lambda: bool(deltas))
        assert not answer.done()
        assert (await answer).finish_reason == "stop"
    assert len(deltas) > 3


@pytest.mark.parametrize("stream", [False, True])
async def test_unknown_usage_is_none_and_never_zero(client: OpenAIClient, stream: bool) -> None:
    with running_stub(usage=False) as stub:
        endpoint = endpoint_at(stub.url, prompt_price=1.0, completion_price=1.0)
        result = await client.chat(endpoint, ask("hi"), Deltas() if stream else None)
    assert result.usage == Usage()


@pytest.mark.parametrize("stream", [False, True])
async def test_native_tool_calls(client: OpenAIClient, stub: RunningStub, stream: bool) -> None:
    request = ask("please use the tool", tools=({"type": "function", "function": {"name": "x"}},))
    result = await client.chat(endpoint_at(stub.url), request, Deltas() if stream else None)
    assert result.finish_reason == "tool_calls"
    assert result.tool_calls == (
        ToolCall("call_0", "calculator", '{"expression": "2+2"}'),
        ToolCall("call_1", "clock", "{}"),
    )


async def test_everything_of_the_request_is_sent(client: OpenAIClient, stub: RunningStub) -> None:
    stub.clear()
    call = ToolCall("call_7", "clock", "{}")
    request = ChatRequest(
        messages=(
            ChatMessage("system", "Be brief."),
            ChatMessage("assistant", "", tool_calls=(call,)),
            ChatMessage("tool", "12:00", tool_call_id="call_7"),
        ),
        temperature=0.7,
        max_tokens=33,
        seed=5,
        stop=("END",),
        response_schema={"type": "object"},
    )
    await client.chat(endpoint_at(stub.url), request)
    body = stub.log()["requests"][0]
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert body["messages"][1]["tool_calls"][0]["function"] == {"name": "clock", "arguments": "{}"}
    assert body["messages"][2]["tool_call_id"] == "call_7"
    assert (body["temperature"], body["max_tokens"], body["seed"]) == (0.7, 33, 5)
    assert body["stop"] == ["END"]
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert "stream" not in body


async def test_the_endpoint_s_own_fields_are_sent_as_they_are(
    client: OpenAIClient, stub: RunningStub
) -> None:
    stub.clear()
    extra = {"top_p": 0.9, "chat_template_kwargs": {"enable_thinking": False}}
    await client.chat(endpoint_at(stub.url, extra_body=extra), ask("hi"))
    await client.chat(endpoint_at(stub.url), ask("hi"))
    for switch in (0, False):  # equal in Python, but not for a server
        await client.chat(endpoint_at(stub.url, extra_body={"switch": switch}), ask("hi"))
    first, second, third, fourth = stub.log()["requests"]
    assert {name: first[name] for name in extra} == extra
    assert not extra.keys() & second.keys()
    assert (third["switch"] is False, fourth["switch"] is False) == (False, True)


async def test_a_server_that_refuses_such_a_field_is_not_asked_without_it(
    client: OpenAIClient,
) -> None:
    raw = Raw(('{"error": {"message": "Unknown parameter: \'top_p\'.", "param": "top_p"}}',), 400)
    fault = Fault("raw", raw=raw, objects_to=("top_p",))
    with running_stub(models=(), faults={"picky": fault}) as stub:
        endpoint = endpoint_at(stub.url, "picky", extra_body={"top_p": 0.9})
        refused = await failing(client.chat(endpoint, ask("hi")))
        assert len(stub.log()["requests"]) == 1
    assert (refused.code, refused.permanent) == ("bad_request", True)
    assert refused.remedy == "Remove “top_p” from the endpoint's extra request fields."


async def test_a_word_of_an_error_is_no_name_of_such_a_field(client: OpenAIClient) -> None:
    said = '{"error": {"message": "Your user quota allows no such prompt."}}'
    with running_stub(models=(), faults={"m": Fault("raw", raw=Raw((said,), 400))}) as stub:
        endpoint = endpoint_at(stub.url, "m", extra_body={"user": "lab"})
        refused = await failing(client.chat(endpoint, ask("hi")))
    assert refused.remedy == "Check the endpoint's settings."


async def test_an_empty_answer_is_an_answer(client: OpenAIClient, stub: RunningStub) -> None:
    result = await client.chat(endpoint_at(stub.url), ask("not a word"))
    assert (result.text, result.finish_reason) == ("", "stop")


async def test_at_most_max_concurrency_calls_at_once(
    client: OpenAIClient, stub: RunningStub
) -> None:
    stub.clear()
    endpoint = endpoint_at(stub.url, max_concurrency=3)
    calls = [client.chat(endpoint, ask(f"think slowly {n}")) for n in range(7)]
    assert len(await asyncio.gather(*calls)) == 7
    assert stub.log()["peak"] == 3


async def test_a_large_prompt_is_sent_whole(client: OpenAIClient, stub: RunningStub) -> None:
    stub.clear()
    await client.chat(endpoint_at(stub.url), ask("x" * 1_500_000))
    assert len(stub.log()["requests"][0]["messages"][0]["content"]) == 1_500_000


async def test_a_key_is_sent_and_a_missing_one_is_named(
    client: OpenAIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_stub(api_key="sk-secret") as stub:
        endpoint = endpoint_at(stub.url, api_key_env="STUB_API_KEY")
        missing = await failing(client.chat(endpoint, ask("hi")))
        assert (missing.code, missing.permanent) == ("missing_api_key", True)
        assert "STUB_API_KEY" in missing.remedy
        monkeypatch.setenv("STUB_API_KEY", "sk-secret")
        assert (await client.chat(endpoint, ask("hi"))).text


@pytest.mark.parametrize("value", ["", "  ", "two words", "line\nbreak", "naïve"])
async def test_an_unusable_key_is_not_sent(
    client: OpenAIClient, stub: RunningStub, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("STUB_API_KEY", value)
    with pytest.raises(LLMError, match="STUB_API_KEY has no usable key"):
        await client.chat(endpoint_at(stub.url, api_key_env="STUB_API_KEY"), ask("hi"))


@pytest.mark.parametrize("variable", ["SECRET_KEY", "DATABASE_URL", "PATH", "A_API_KEY\n"])
async def test_other_variables_never_leave_the_machine(
    client: OpenAIClient, stub: RunningStub, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    stub.clear()
    refused = await failing(client.chat(endpoint_at(stub.url, api_key_env=variable), ask("hi")))
    assert refused.code == "api_key_env_refused"
    assert stub.log()["total"] == 0


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", ["hang", "hang-mid-stream", "endless"])
async def test_cancelling_closes_the_connection(
    client: OpenAIClient, stub: RunningStub, kind: str, stream: bool
) -> None:
    stub.clear()
    call = asyncio.create_task(
        client.chat(faulty(stub, kind), ask("hi", max_tokens=10**7), Deltas() if stream else None)
    )
    await eventually(lambda: stub.log()["active"] == 1)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await eventually(lambda: stub.log()["dropped"] == 1 and stub.log()["active"] == 0)


async def test_connections_are_used_again(client: OpenAIClient, stub: RunningStub) -> None:
    endpoint = endpoint_at(stub.url)
    for stream in (None, Deltas(), None, Deltas()):
        await client.chat(endpoint, ask("hi"), stream)
    connector = client._session(True).connector
    assert connector is not None
    assert sum(len(idle) for idle in connector._conns.values()) == 1


async def test_a_private_address_needs_permission(client: OpenAIClient, stub: RunningStub) -> None:
    for url in (stub.url, stub.url.replace("127.0.0.1", "localhost")):
        endpoint = endpoint_at(url, allow_private_address=False)
        refused = await failing(client.chat(endpoint, ask("hi")))
        assert (refused.code, refused.permanent) == ("address_refused", True)


async def test_broken_unicode_is_a_clear_error(client: OpenAIClient, stub: RunningStub) -> None:
    refused = await failing(client.chat(endpoint_at(stub.url), ask("\ud800")))
    assert refused.code == "unsendable_text"
