"""From what a model writes to a task graph, or to a clear no."""

from __future__ import annotations

import json

import pytest

from workers.core.llm.types import ChatRequest, ChatResult, LLMError, OnDelta
from workers.core.methods.base import MethodError
from workers.core.methods.reso.planner import PlanError, PlanFailed, own_graph, plan, read_plan
from workers.core.specs import EndpointSpec, TaskSpec, Usage

ENDPOINT = EndpointSpec(key="stub", base_url="http://127.0.0.1:1/v1", model="m")
TASK = TaskSpec(query="What is (2 + 3) * 4?")


def written(*subtasks: tuple[object, str, list[object]]) -> str:
    rows = [{"id": i, "text": text, "depends_on": needs} for i, text, needs in subtasks]
    return json.dumps({"subtasks": rows})


GOOD = written(("s1", "What is 2 + 3?", []), ("s2", "What is that times 4?", ["s1"]))


class Says:
    """A client that says one thing after the other."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.requests: list[ChatRequest] = []

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        self.requests.append(request)
        return ChatResult(self.replies.pop(0), "stop", Usage.zero(), 0.1)


@pytest.mark.parametrize("around", ["{}", "Here it is:\n```json\n{}\n```\nGood luck."])
def test_a_plan_is_read(around: str) -> None:
    graph = read_plan(around.replace("{}", GOOD), most=12)
    assert [(s.id, s.text, s.depends_on) for s in graph.subtasks] == [
        ("s1", "What is 2 + 3?", ()),
        ("s2", "What is that times 4?", ("s1",)),
    ]


def test_names_and_order_are_put_right() -> None:
    reply = written((7, "Last.", ["first one", "first one"]), ("first one", "First.", []))
    graph = read_plan(reply, most=12)
    assert [(s.id, s.text, s.depends_on) for s in graph.subtasks] == [
        ("s1", "First.", ()),
        ("s2", "Last.", ("s1",)),
    ]


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "empty"),
        ("First add, then multiply.", "not a JSON object"),
        ('{"subtasks": [', "not a whole JSON object"),
        ("{" * 100_000, "not a whole JSON object"),
        ('{"steps": []}', "subtasks: Field required"),
        ('{"subtasks": []}', "no subtasks"),
        (written(*((i, "x", []) for i in range(500))), "500 subtasks, more than 12"),
        (written(("a", "x", ["b"]), ("b", "y", ["a"])), "in a circle: a, b"),
        (written(("a", "x", ["a"])), "in a circle: a"),
        (written(("a", "x", []), ("a", "y", [])), "two subtasks have the id “a”"),
        (written(("a", "x", ["z"])), "“z”, which is none of them"),
        (written(("a", "  ", [])), "at least 1 character"),
    ],
)
def test_what_is_no_plan_is_told(reply: str, problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        read_plan(reply, most=12)


async def test_a_bad_plan_may_be_mended_once() -> None:
    client = Says("I would add first.", GOOD)
    planned = await plan(TASK, client=client, endpoint=ENDPOINT, most=12)
    assert len(planned.graph.subtasks) == 2
    assert [(each.reply, each.endpoint) for each in planned.rejected] == [
        ("I would add first.", "stub")
    ]
    first, second = client.requests
    assert first.response_schema == second.response_schema != None  # noqa: E711
    assert [message.role for message in second.messages] == ["system", "user", "assistant", "user"]
    assert "not a JSON object" in second.messages[-1].content


async def test_a_planner_that_cannot_plan_fails_the_run() -> None:
    with pytest.raises(MethodError, match="in a circle") as caught:
        await plan(
            TASK,
            client=Says("No.", written(("a", "x", ["a"]))),
            endpoint=ENDPOINT,
            most=12,
        )
    assert caught.value.code == "no_task_graph"
    assert "larger model" in caught.value.remedy


async def test_a_plan_of_too_many_subtasks_says_how_to_allow_them() -> None:
    many = written(*((place, "x", []) for place in range(500)))
    with pytest.raises(PlanFailed) as caught:
        await plan(TASK, client=Says("No.", many), endpoint=ENDPOINT, most=12)
    assert "Allow more subtasks" in caught.value.remedy
    assert ["Allow more" in each.remedy for each in caught.value.rejected] == [False, True]


def test_the_data_set_s_own_graph() -> None:
    graph = read_plan(GOOD, most=12)
    task = TASK.model_copy(update={"metadata": {"task_graph": graph.model_dump(mode="json")}})
    assert own_graph(task).graph == graph
    with pytest.raises(MethodError, match="without a task graph"):
        own_graph(TASK)
    broken = TASK.model_copy(update={"metadata": {"task_graph": {"subtasks": []}}})
    with pytest.raises(MethodError, match="broken"):
        own_graph(broken)


class DiesAfter(Says):
    """An endpoint that is gone when it is asked once more."""

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        if not self.replies:
            raise LLMError(
                code="connection_refused",
                message="Nobody listens.",
                remedy="Start it.",
                permanent=True,
            )
        return await super().chat(endpoint, request, on_delta)


async def test_what_was_written_before_the_planner_s_endpoint_died_is_not_lost() -> None:
    with pytest.raises(PlanFailed) as failed:
        await plan(TASK, client=DiesAfter("I would rather not."), endpoint=ENDPOINT, most=12)
    error = failed.value
    assert (error.code, error.remedy) == ("connection_refused", "Start it.")
    assert "could not be asked again: Nobody listens." in error.message
    assert [each.reply for each in error.rejected] == ["I would rather not."]
    with pytest.raises(LLMError):
        await plan(TASK, client=DiesAfter(), endpoint=ENDPOINT, most=12)
