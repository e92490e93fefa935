"""A stub LLM, and a client that tries once."""

from collections.abc import AsyncIterator, Iterator

import pytest

from workers.core.llm.client import OpenAIClient
from workers.core.llm.retry import RetryPolicy
from workers.core.testing.stub_llm import RunningStub, running_stub


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    with running_stub(models=()) as running:
        yield running


@pytest.fixture
async def client() -> AsyncIterator[OpenAIClient]:
    async with OpenAIClient(retry=RetryPolicy(tries=1)) as made:
        yield made
