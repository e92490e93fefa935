"""From what a model writes to a task graph, or to a clear no."""

import json

import pytest

from workers.core.errors import MethodError
from workers.core.events import Event, PlannerAsked, PlanRejected, SubtasksPlanned
from workers.core.llm.types import BudgetExceeded, ChatClient, ChatResult, LLMError
from workers.core.mas.tests.support import ScriptedClient, collect, context, kinds, result
from workers.core.methods.reso.config import PlannerKind, SearchConfig
from workers.core.methods.reso.planner import PlanError, PlanFailed, Planner, own_graph, read_plan
from workers.core.specs import EndpointSpec, TaskSpec

ENDPOINT = EndpointSpec(key="stub", base_url="http://127.0.0.1:1/v1", model="m")
TASK = TaskSpec(query="What is (2 + 3) * 4?")


def written(*subtasks: tuple[object, str, list[object]]) -> str:
    rows = [{"id": i, "text": text, "depends_on": needs} for i, text, needs in subtasks]
    return json.dumps({"subtasks": rows})


GOOD = written(("s1", "What is 2 + 3?", []), ("s2", "What is that times 4?", ["s1"]))


def says(*replies: ChatResult | str | BaseException) -> ScriptedClient:
    """A client that says one thing after the other."""
    left = list(replies)
    return ScriptedClient(lambda _: left.pop(0))


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


NAMING, NAMED = "Take 3 from {} and the answer of life.", "the answer of s1"


@pytest.mark.parametrize(
    ("last", "first", "told"),
    [
        ((7, "Last.", ["first one", "first one"]), ("first one", "First.", []), "Last."),
        (
            (2, NAMING.format("The answer of 1"), []),
            (1, "x", []),
            NAMING.format("the answer of s1"),
        ),
    ],
)
def test_names_and_order_are_put_right_and_a_named_answer_is_needed(
    last: tuple[object, str, list[object]], first: tuple[object, str, list[object]], told: str
) -> None:
    graph = read_plan(written(last, first), most=12)
    assert [(s.id, s.text, s.depends_on) for s in graph.subtasks] == [
        ("s1", first[1], ()),
        ("s2", told, ("s1",)),
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
        ('{"subtasks": [{"id": "a", "text": "x", "depends_on": NaN}]}', "a valid list"),
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
    return Planner(task, config, context(client, endpoint=ENDPOINT), client=client)


async def test_a_plan_that_was_cut_says_so_first() -> None:
    cut = result('{"subtasks": [', finish_reason="length", limit=64)
    events: list[Event] = []
    with pytest.raises(PlanFailed, match="cut at 64 tokens") as caught:
        await collect(planner(says(cut, cut)).events(), events)
    assert "more tokens per reply" in caught.value.remedy
    rejected = [event for event in events if isinstance(event, PlanRejected)]
    assert [event.truncated for event in rejected] == [True, True]


async def test_the_planner_may_say_what_its_endpoint_can() -> None:
    client = says(GOOD)
    (planned,) = [e async for e in planner(client).events() if isinstance(e, SubtasksPlanned)]
    assert client.requests[0].max_tokens == ENDPOINT.most_reply_tokens
    assert planned.truncated is False


async def test_a_bad_plan_may_be_mended_once() -> None:
    client = says("I would add first.", GOOD)
    planning = planner(client, TASK.model_copy(update={"reference": "20"}))
    events = await collect(planning.events())
    assert kinds(events) == [
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
    planning = planner(says("No.", written(("a", "x", ["a"]))))
    with pytest.raises(PlanFailed, match="in a circle") as caught:
        await collect(planning.events())
    assert caught.value.code == "no_task_graph"
    assert "larger model" in caught.value.remedy
    with pytest.raises(RuntimeError, match="nothing is planned"):
        _ = planning.graph


async def test_a_plan_of_too_many_subtasks_says_how_to_allow_them() -> None:
    many = written(*((place, "x", []) for place in range(500)))
    heard: list[Event] = []
    with pytest.raises(PlanFailed) as caught:
        await collect(planner(says("No.", many)).events(), heard)
    assert "Allow more subtasks" in caught.value.remedy
    rejected = [event for event in heard if isinstance(event, PlanRejected)]
    assert ["Allow more" in each.remedy for each in rejected] == [False, True]


async def test_nobody_is_asked_where_the_data_set_has_a_graph_of_its_own() -> None:
    graph = read_plan(GOOD, most=12)
    task = TASK.model_copy(update={"metadata": {"task_graph": graph.model_dump(mode="json")}})
    client = says()
    events = await collect(planner(client, task, planner="own").events())
    assert kinds(events) == ["subtasks_planned"]
    assert client.requests == []


def test_the_data_set_s_own_graph() -> None:
    graph = read_plan(GOOD, most=12)
    task = TASK.model_copy(update={"metadata": {"task_graph": graph.model_dump(mode="json")}})
    assert own_graph(task) == graph
    with pytest.raises(MethodError, match="has no task graph"):
        own_graph(TASK)
    broken = TASK.model_copy(update={"metadata": {"task_graph": {"subtasks": []}}})
    with pytest.raises(MethodError, match="broken"):
        own_graph(broken)


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
        await collect(planner(says("I would rather not.", failure)).events(), heard)
    assert kinds(heard) == ["planner_asked", "plan_rejected", "planner_asked"]
    assert [e.reply for e in heard if isinstance(e, PlanRejected)] == ["I would rather not."]
