from collections.abc import AsyncIterator, Iterator

import pytest

from workers.core.llm.client import OpenAIClient
from workers.core.llm.retry import RetryPolicy
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Rule

RULES = (
    Rule("capital of France", reply="Paris is the capital of France."),
    Rule("use the tool", tool_calls=(("calculator", '{"expression": "2+2"}'), ("clock", "{}"))),
    Rule("limited twice", reply="at last", fault=Fault("429", times=2)),
    Rule("word and then", reply="word word word and then more", fault=Fault("half-stream", 1)),
    Rule("something else", reply="entirely different", fault=Fault("half-stream", 1)),
    Rule("quite another matter", reply="no relation", fault=Fault("half-stream", 1)),
    Rule("shorter", reply="word ", fault=Fault("half-stream", 1)),
    Rule("broken again and again", fault=Fault("half-stream")),
    Rule("not a word", reply=""),
    Rule("think slowly", reply="slow thought", latency=0.4),
)


@pytest.fixture(scope="session")
def stub() -> Iterator[RunningStub]:
    with running_stub(rules=RULES, models=("stub", "stub-large")) as running:
        yield running


@pytest.fixture
async def client() -> AsyncIterator[OpenAIClient]:
    async with OpenAIClient(retry=RetryPolicy(tries=3, base_seconds=0.01)) as made:
        yield made
