"""Servers that are not quite OpenAI's: the right answer, or the right error in its own words."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from workers.core.llm.client import OpenAIClient
from workers.core.llm.retry import RetryPolicy
from workers.core.llm.tests.helpers import Deltas, ask, endpoint_at
from workers.core.llm.tests.other_servers import ALL, Case
from workers.core.llm.types import LLMError
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Rule

ANSWERED = [case for case in ALL if case.text is not None]
REFUSED = [case for case in ALL if case.text is None]


@pytest.fixture(scope="module")
def servers() -> Iterator[RunningStub]:
    rules = tuple(Rule(f"«{case.name}»", fault=Fault("raw", raw=case.raw)) for case in ALL)
    with running_stub(rules=rules) as running:
        yield running


@pytest.fixture
async def twice() -> AsyncIterator[OpenAIClient]:
    async with OpenAIClient(retry=RetryPolicy(tries=2, base_seconds=0.01)) as made:
        yield made


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case.name)
async def test_it_is_understood(
    twice: OpenAIClient, servers: RunningStub, case: Case, stream: bool
) -> None:
    servers.clear()
    deltas = Deltas()
    question = ask(f"«{case.name}»", max_tokens=64)
    result = await twice.chat(endpoint_at(servers.url), question, deltas if stream else None)
    assert (result.text, result.finish_reason) == (case.text, case.finish)
    if case.tokens is not None:
        assert result.usage.completion_tokens == case.tokens
    if stream:
        assert "".join(deltas) == result.text
    assert servers.log()["total"] == 1


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
async def test_its_error_is_named(
    twice: OpenAIClient, servers: RunningStub, case: Case, stream: bool
) -> None:
    servers.clear()
    question = ask(f"«{case.name}»", max_tokens=64)
    with pytest.raises(LLMError) as caught:
        await twice.chat(endpoint_at(servers.url), question, Deltas() if stream else None)
    error = caught.value
    assert (error.code, error.permanent) == (case.code, case.tries == 1)
    assert case.said in error.message
    assert error.remedy
    assert servers.log()["total"] == case.tries
