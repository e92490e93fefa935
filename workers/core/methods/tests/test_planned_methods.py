"""What every method promises whose graph is planned: the order of its events, budgets, its form."""

from collections.abc import Iterator
from typing import Any

import pytest

from workers.core.designs.spec import graph_of
from workers.core.designs.tests.support import design
from workers.core.errors import MethodError
from workers.core.events import Event, RunFailed, RunFinished
from workers.core.graph import predecessors
from workers.core.llm.client import OpenAIClient
from workers.core.llm.retry import RetryPolicy
from workers.core.methods.registry import METHODS
from workers.core.methods.tests.support import HashEmbedder, kinds, only, ran, shown, small_pool
from workers.core.run import run_execute
from workers.core.specs import Budget, EndpointSpec, RunSpec, TaskSpec
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_settings import Rule

PLANNED = [key for key, method in METHODS.items() if not method.learns]
CONFIGS: dict[str, dict[str, Any]] = {
    "design": {"graph": graph_of(design("abc", "ac bc")).model_dump(mode="json")}
}
FORMS = [key for key in METHODS if key != "design"]
"""Nobody fills in a graph: the studio takes that of a design."""

PROGRAM = "def double(x):\n    return 2 * x"
each = pytest.mark.parametrize("key", PLANNED)


@pytest.fixture(scope="module")
def programmer() -> Iterator[RunningStub]:
    rule = Rule("", reply=f"It is right.\n```python\n{PROGRAM}\n```\nIt doubles.")
    with running_stub(rules=(rule,)) as running:
        yield running


@each
async def test_the_graph_is_planned_before_its_agents_and_each_ends_once(
    key: str, stub: RunningStub
) -> None:
    """And the same run twice gives the same events."""
    events, again = [await ran(METHODS[key], stub.url, **given(key)) for _ in range(2)]
    assert shown(events) == shown(again)
    assert kinds(events)[0] == "graph_planned"
    assert kinds(events)[-1] == "intermediate_answer"
    planned: dict[str, tuple[str, ...]] = {}
    active: set[str] = set()
    ended: list[str] = []
    for event in events:
        if event.event == "graph_planned":
            assert set(planned) <= set(predecessors(event.graph))
            planned = predecessors(event.graph)
        elif event.event == "agent_started":
            active.add(event.agent_id)
            if not event.summary:
                assert event.reads == planned[event.agent_id]
            assert set(event.reads) <= set(ended)
        elif event.event in ("agent_finished", "agent_failed"):
            active.remove(event.agent_id)
            ended.append(event.agent_id)
    assert not active
    assert len(ended) == len(set(ended))
    assert set(planned) <= set(ended)
    steps = [event.step for event in only(events, "intermediate_answer")]
    assert steps == list(range(1, len(steps) + 1))


@each
async def test_an_endpoint_that_fails_fails_the_run_with_its_cause(
    key: str, stub: RunningStub
) -> None:
    with pytest.raises(MethodError) as caught:
        await ran(METHODS[key], stub.url, model="fault-401", **given(key))
    assert caught.value.code == "unauthorized"
    assert caught.value.remedy


@each
async def test_a_whole_run_ends_with_its_answer_and_its_graph(key: str, stub: RunningStub) -> None:
    end = await run_of(key, stub, Budget())
    assert isinstance(end, RunFinished)
    assert end.answer is not None
    assert end.message
    assert end.graph.nodes


@each
async def test_a_spent_budget_ends_the_run(key: str, stub: RunningStub) -> None:
    end = await run_of(key, stub, Budget(max_tokens=5))
    assert isinstance(end, RunFailed)
    assert end.failure.code == "budget_exceeded"


@each
async def test_the_answer_of_a_code_task_is_a_program(key: str, programmer: RunningStub) -> None:
    programmer.clear()
    end = await run_of(key, programmer, Budget(), answer_form="code")
    assert isinstance(end, RunFinished)
    assert end.answer == PROGRAM
    assert "```python" in programmer.log()["requests"][0]["messages"][-1]["content"]


@pytest.mark.parametrize("key", FORMS)
def test_every_option_can_be_shown_in_a_form(key: str) -> None:
    schema = METHODS[key].config_schema.model_json_schema()
    for name, option in schema["properties"].items():
        assert option["description"], name
        assert "default" in option, name
        if option.get("type") == "array":
            assert option["items"]["format"] == "endpoint", name
            continue
        if "anyOf" in option:  # one that may be left out
            assert {each.get("format", each["type"]) for each in option["anyOf"]} == {
                "endpoint",
                "null",
            }, name
            continue
        assert option["type"] in {"integer", "number", "boolean", "string"}, name
        if option["type"] in {"integer", "number"}:
            assert {"minimum", "exclusiveMinimum"} & set(option), name
            assert {"maximum", "exclusiveMaximum"} & set(option), name


def given(key: str) -> dict[str, Any]:
    return {"pool": small_pool(), "embedder": HashEmbedder(), "config": CONFIGS.get(key, {})}


async def run_of(key: str, stub: RunningStub, budget: Budget, **task: Any) -> Event:
    spec = RunSpec(
        task=TaskSpec(query="What is 6 * 7?", **task),
        method=key,
        method_config=CONFIGS.get(key, {}),
        endpoint=EndpointSpec(
            key="stub", base_url=stub.url, model="stub", allow_private_address=True
        ),
        pool=small_pool(),
        budget=budget,
        stream=False,
    )
    async with OpenAIClient(retry=RetryPolicy(tries=1)) as client:
        run = run_execute(spec, client=client, embedder=HashEmbedder())
        return [event async for event in run][-1]
