"""An attached picture in a whole run, over a real server: a model that sees is asked, by OpenAI's
protocol, under the run's budget."""

import base64
import io
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from PIL import Image

from workers.core.events import (
    AgentFailed,
    AgentFinished,
    Event,
    RunFinished,
    ToolReturned,
)
from workers.core.llm.client import OpenAIClient
from workers.core.mas.pictures import ASKED
from workers.core.mas.tests.support import endpoint, role
from workers.core.run import run_execute
from workers.core.specs import Budget, PoolSpec, RunSpec, TaskSpec
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Raw, Rule
from workers.core.tests.support import of_kind

RULES = (
    Rule(ASKED[:40], reply="Apples | 7"),
    Rule("Apples | 7", reply="Answer: 7"),
    Rule("can't be read", reply="Answer: unknown"),
    Rule("How many apples", tool_calls=(("read_file", '{"name": "basket.png"}'),)),
)
POOL = PoolSpec(key="p", name="P", roles=(role("looker", tools=("read_file",)),))


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    body = json.dumps({"error": {"message": "image_url is only supported by certain models."}})
    blind = Fault("raw", raw=Raw((body,), 400, "application/json"), objects_to=("images",))
    with running_stub(rules=RULES, faults={"blind": blind}) as running:
        yield running


@pytest.fixture
async def client() -> AsyncIterator[OpenAIClient]:
    async with OpenAIClient() as made:
        yield made


def picture() -> str:
    target = io.BytesIO()
    Image.new("RGB", (20, 10), "red").save(target, "PNG")
    return base64.b64encode(target.getvalue()).decode()


async def ran(
    client: OpenAIClient, stub: RunningStub, budget: Budget, **seeing: Any
) -> list[Event]:
    spec = RunSpec(
        task=TaskSpec(
            query="How many apples are there?",
            metadata={"files": [{"name": "basket.png", "content": picture()}]},
        ),
        method="fixed_graph",
        method_config={"shape": "chain", "roles": "looker"},
        endpoint=endpoint(stub.url, native_tools=True, **seeing),
        pool=POOL,
        budget=budget,
        stream=False,
    )
    return [event async for event in run_execute(spec, client=client)]


async def test_a_model_that_sees_is_asked_and_counted(
    client: OpenAIClient, stub: RunningStub
) -> None:
    stub.clear()
    events = await ran(client, stub, Budget(), sees_images=True)
    [returned] = [event for event in events if isinstance(event, ToolReturned)]
    assert (returned.ok, returned.output) == (
        True,
        "stub wrote this from the picture.\n\nApples | 7",
    )
    asked = [body["messages"] for body in stub.log()["requests"]]
    [shown] = [messages for messages in asked if isinstance(messages[0]["content"], list)]
    text, image = shown[0]["content"]
    assert text == {"type": "text", "text": ASKED}
    assert image["type"] == "image_url"
    head, _, data = image["image_url"]["url"].partition(",")
    assert head == "data:image/jpeg;base64"
    assert Image.open(io.BytesIO(base64.b64decode(data))).size == (20, 10)
    [finished] = [event for event in events if isinstance(event, AgentFinished)]
    assert (finished.answer, finished.calls) == ("7", 3)
    end = of_kind(RunFinished, events[-1])
    told = len(ASKED) // 4 + len("Apples | 7") // 4
    assert (end.usage.prompt_tokens or 0) + (end.usage.completion_tokens or 0) > told


async def test_without_a_model_that_sees_nothing_is_sent(
    client: OpenAIClient, stub: RunningStub
) -> None:
    stub.clear()
    events = await ran(client, stub, Budget())
    [returned] = [event for event in events if isinstance(event, ToolReturned)]
    assert "no model of this run sees pictures" in returned.output
    assert "image_url" not in str(stub.log()["requests"])


async def test_a_picture_that_the_budget_does_not_allow_is_not_sent(
    client: OpenAIClient, stub: RunningStub
) -> None:
    stub.clear()
    events = await ran(client, stub, Budget(max_tokens=1_500), sees_images=True)
    [failed] = [event for event in events if isinstance(event, AgentFailed)]
    assert failed.failure.code == "budget_exceeded"
    assert "image_url" not in str(stub.log()["requests"])


async def test_a_server_that_refuses_pictures_is_named(
    client: OpenAIClient, stub: RunningStub
) -> None:
    events = await ran(client, stub, Budget(), sees_images=True, model="blind")
    [returned] = [event for event in events if isinstance(event, ToolReturned)]
    assert not returned.ok
    assert "The endpoint stub did not read the picture." in returned.output
    assert "only supported by certain models" in returned.output
    assert of_kind(RunFinished, events[-1]).answer == "unknown"
