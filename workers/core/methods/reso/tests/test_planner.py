"""From what a model writes to a task graph, or to a clear no."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from workers.core.errors import MethodError
from workers.core.events import Event, PlannerAsked, PlanRejected, SubtasksPlanned
from workers.core.llm.types import (
    BudgetExceeded,
    ChatClient,
    ChatRequest,
    ChatResult,
    LLMError,
    OnDelta,
)
from workers.core.methods.reso.config import PlannerKind, SearchConfig
from workers.core.methods.reso.planner import PlanError, PlanFailed, Planner, own_graph, read_plan
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


@pytest.mark.parametrize(
    "around",
    ["{}", "Here it is:\n```json\n{}\n```\nGood luck.", '<think>{"subtasks": []}?</think>{}'],
)
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


def test_what_a_text_names_the_answer_of_it_needs() -> None:
    reply = written((2, "Take 3 from The answer of 1 and the answer of life.", []), (1, "x", []))
    graph = read_plan(reply, most=12)
    assert [(s.id, s.text, s.depends_on) for s in graph.subtasks] == [
        ("s1", "x", ()),
        ("s2", "Take 3 from the answer of s1 and the answer of life.", ("s1",)),
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
        (written(("a", "The answer of a", [])), "“a” asks for its own answer"),
        (written(("a", "the answer of b", []), ("b", "x", ["a"])), "in a circle: a, b"),
        (written(("a", "x", []), ("a", "y", [])), "two subtasks have the id “a”"),
        (written(("a", "x", ["z"])), "“z”, which is none of them"),
        (written(("a", "  ", [])), "at least 1 character"),
        (written(("s1", "…", []), ("s2", "…", ["s1"])), "“s1” asks nothing"),
    ],
)
def test_what_is_no_plan_is_told(reply: str, problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        read_plan(reply, most=12)


def planner(client: ChatClient, task: TaskSpec = TASK, planner: PlannerKind = "llm") -> Planner:
    config = SearchConfig(planner=planner, max_subtasks=12)
    return Planner(task, config, client=client, own=ENDPOINT, further={})


async def test_a_plan_that_was_cut_says_so_first() -> None:
    class Cut(Says):
        async def chat(
            self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
        ) -> ChatResult:
            said = await super().chat(endpoint, request, on_delta)
            return replace(said, finish_reason="length", limit=64)

    events: list[Event] = []

    async def gather() -> None:
        async for event in planner(Cut('{"subtasks": [', '{"subtasks": [')).events():
            events.append(event)

    with pytest.raises(PlanFailed, match="cut at 64 tokens") as caught:
        await gather()
    assert "more tokens of one reply" in caught.value.remedy
    rejected = [event for event in events if isinstance(event, PlanRejected)]
    assert [event.truncated for event in rejected] == [True, True]


async def test_the_planner_may_say_what_its_endpoint_can() -> None:
    client = Says(GOOD)
    (planned,) = [e async for e in planner(client).events() if isinstance(e, SubtasksPlanned)]
    assert client.requests[0].max_tokens == ENDPOINT.most_reply_tokens
    assert planned.truncated is False


async def test_a_bad_plan_may_be_mended_once() -> None:
    client = Says("I would add first.", GOOD)
    planning = planner(client, TASK.model_copy(update={"reference": "20"}))
    events = [event async for event in planning.events()]
    assert [event.event for event in events] == [
        "planner_asked",
        "plan_rejected",
        "planner_asked",
        "subtasks_planned",
    ]
    assert [(e.ordinal, e.endpoint, e.model) for e in events if isinstance(e, PlannerAsked)] == [
        (1, "stub", "m"),
        (2, "stub", "m"),
    ]
    assert [e.reply for e in events if isinstance(e, PlanRejected)] == ["I would add first."]
    (planned,) = [e for e in events if isinstance(e, SubtasksPlanned)]
    assert planned.repaired
    assert planned.task_graph == planning.graph
    assert [subtask.reference for subtask in planning.graph.subtasks] == [None, "20"]
    first, second = client.requests
    assert first.response_schema == second.response_schema != None  # noqa: E711
    assert [message.role for message in second.messages] == ["system", "user", "assistant", "user"]
    assert "not a JSON object" in second.messages[-1].content


async def test_a_planner_that_cannot_plan_fails_the_run() -> None:
    planning = planner(Says("No.", written(("a", "x", ["a"]))))
    with pytest.raises(PlanFailed, match="in a circle") as caught:
        await told(planning)
    assert caught.value.code == "no_task_graph"
    assert "larger model" in caught.value.remedy
    with pytest.raises(RuntimeError, match="nothing is planned"):
        _ = planning.graph


async def test_a_plan_of_too_many_subtasks_says_how_to_allow_them() -> None:
    many = written(*((place, "x", []) for place in range(500)))
    heard: list[Event] = []
    with pytest.raises(PlanFailed) as caught:
        await told(planner(Says("No.", many)), heard)
    assert "Allow more subtasks" in caught.value.remedy
    rejected = [event for event in heard if isinstance(event, PlanRejected)]
    assert ["Allow more" in each.remedy for each in rejected] == [False, True]


async def test_nobody_is_asked_where_the_data_set_has_a_graph_of_its_own() -> None:
    graph = read_plan(GOOD, most=12)
    task = TASK.model_copy(update={"metadata": {"task_graph": graph.model_dump(mode="json")}})
    client = Says()
    events = await told(planner(client, task, planner="own"))
    assert [event.event for event in events] == ["subtasks_planned"]
    assert client.requests == []


def test_the_data_set_s_own_graph() -> None:
    graph = read_plan(GOOD, most=12)
    task = TASK.model_copy(update={"metadata": {"task_graph": graph.model_dump(mode="json")}})
    assert own_graph(task) == graph
    with pytest.raises(MethodError, match="without a task graph"):
        own_graph(TASK)
    broken = TASK.model_copy(update={"metadata": {"task_graph": {"subtasks": []}}})
    with pytest.raises(MethodError, match="broken"):
        own_graph(broken)


class EndsAfter(Says):
    """An endpoint, or a budget, that is no more when it is asked once more."""

    def __init__(self, *replies: str, failure: Exception) -> None:
        super().__init__(*replies)
        self.failure = failure

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        if not self.replies:
            raise self.failure
        return await super().chat(endpoint, request, on_delta)


@pytest.mark.parametrize(
    "failure",
    [
        LLMError(code="refused", message="Nobody listens.", remedy="Start it.", permanent=True),
        BudgetExceeded(limit="tokens", message="All 100 tokens are spent."),
    ],
)
async def test_what_a_planner_wrote_is_told_before_it_can_be_asked_no_more(
    failure: Exception,
) -> None:
    heard: list[Event] = []
    with pytest.raises(type(failure)):
        await told(planner(EndsAfter("I would rather not.", failure=failure)), heard)
    assert [event.event for event in heard] == ["planner_asked", "plan_rejected", "planner_asked"]
    assert [e.reply for e in heard if isinstance(e, PlanRejected)] == ["I would rather not."]


async def told(planning: Planner, heard: list[Event] | None = None) -> list[Event]:
    events = [] if heard is None else heard
    async for event in planning.events():
        events.append(event)
    return events
