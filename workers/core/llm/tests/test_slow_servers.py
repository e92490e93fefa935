"""Answers that no one reads along, from servers that need long for a whole one."""

from workers.core.llm.client import OpenAIClient
from workers.core.llm.tests.helpers import ask, endpoint_at
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Raw

WHOLE_HANGS = Fault("raw", raw=Raw(end="hang"), objects_to=("not-streamed",))
SLOW = 0.6
"""Seconds; more than half of a timeout of 1 s."""


def streamed(stub: RunningStub) -> list[bool]:
    return ["stream" in request for request in stub.log()["requests"]]


async def test_a_whole_answer_that_times_out_is_streamed_then(client: OpenAIClient) -> None:
    with running_stub(faults={"stub": WHOLE_HANGS}, chunk_latency=0.1) as stub:
        # the time of fifteen pieces: a busy machine that stalls for a second does not look silent
        endpoint = endpoint_at(stub.url, timeout_seconds=1.5)
        first = await client.chat(endpoint, ask("What is 2 + 2?"))
        second = await client.chat(endpoint, ask("What is 2 + 2?"))
        assert streamed(stub) == [False, True, True]
    assert second.seconds > 1.5, "longer than the server may be silent"
    assert [each.code for each in first.failed_tries] == ["timeout"]
    assert second.failed_tries == ()
    for result in (first, second):
        assert result.text.endswith("Answer: 4")
        assert result.usage.completion_tokens


async def test_a_server_that_needs_half_of_its_time_is_streamed_from(client: OpenAIClient) -> None:
    with running_stub(latency=SLOW) as stub:
        for _ in range(2):
            result = await client.chat(endpoint_at(stub.url, timeout_seconds=1.0), ask("2 + 2"))
            assert result.usage.completion_tokens
        assert streamed(stub) == [False, True]


async def test_a_quick_server_is_asked_for_whole_answers(client: OpenAIClient) -> None:
    with running_stub() as stub:
        for _ in range(3):
            await client.chat(endpoint_at(stub.url), ask("2 + 2"))
        assert streamed(stub) == [False, False, False]


async def test_a_server_that_does_not_count_in_streams_is_asked_for_whole_answers(
    client: OpenAIClient,
) -> None:
    """Until one of these times out: an answer of unknown usage is better than none."""
    uncounted = {"stub": Fault("400-stream-options")}
    with running_stub(latency=SLOW, faults=uncounted) as stub:
        endpoint = endpoint_at(stub.url, timeout_seconds=1.0)
        used = [(await client.chat(endpoint, ask("2 + 2"))).usage for _ in range(4)]
        assert streamed(stub) == [False, True, True, False, False]
    assert [usage.completion_tokens is None for usage in used] == [False, True, False, False]
