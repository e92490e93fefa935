"""A run: a team plays an episode with models that follow a script."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from workers.core.benchmarks.games.episodes import GAMES, task_of
from workers.core.benchmarks.games.verifier import GamePlayed
from workers.core.checkpoints import save
from workers.core.errors import MethodError
from workers.core.events import (
    AgentStarted,
    EpisodeMoved,
    EpisodeStarted,
    Event,
    GraphPlanned,
    IntermediateAnswer,
)
from workers.core.llm.types import ChatRequest, ChatResult, LLMError, OnDelta
from workers.core.mas.tests.support import Script, ScriptedClient, context, down
from workers.core.methods.at_grpo.method import AtGrpo
from workers.core.rollouts.kept import Kept
from workers.core.specs import EndpointSpec, TaskSpec
from workers.core.testing.checkpoints import edit, trained_info

MAZE = "S.#\n.#.\n..G"
TASK = task_of(GAMES["plan_path"], MAZE)
LETTERS = {"proposes": "answer", "wording": "letters"}


async def played(script: Script, task: TaskSpec = TASK, **config: Any) -> list[Event]:
    client = ScriptedClient(script)
    given = context(client, config=LETTERS | config)
    return [event async for event in AtGrpo().solve(task, given)]


def asked(events: Sequence[Event]) -> list[str]:
    return [event.prompt[-1]["content"] for event in events if isinstance(event, AgentStarted)]


def moves(events: Sequence[Event]) -> list[EpisodeMoved]:
    return [event for event in events if isinstance(event, EpisodeMoved)]


def says(proposer: Sequence[str], planner: Sequence[str]) -> Script:
    """What each agent says, turn by turn."""
    left = {"A": list(proposer), "B": list(planner)}
    return lambda request: left[request.messages[-1].content[0]].pop(0)


async def test_agents_read_what_they_were_trained_on_and_the_board_moves() -> None:
    events = await played(says(["DD", "RR"], ["DD", "RR"]))
    assert asked(events) == [
        "AaaSab.ac#ba.bb#bc.ca.cb.ccG||",
        "BaaSab.ac#ba.bb#bc.ca.cb.ccG||baca|",
        "Aaa.ab.ac#ba.bb#bc.caScb.ccG||",
        "Baa.ab.ac#ba.bb#bc.caScb.ccG||cbcc|",
    ]
    assert isinstance(events[0], EpisodeStarted)
    assert events[0].picture["board"] == MAZE
    assert [move.picture["board"] for move in moves(events)][1] == "..#\n.#.\nS.G"
    assert [move.ended for move in moves(events)] == [None, None, None, "solved"]
    assert moves(events)[-1].team == {"goal": 1.0, "shortest": 0.5}
    *_, last = (event for event in events if isinstance(event, IntermediateAnswer))
    assert (last.answer, last.agent_id) == ("Answer: down, down, right, right", "planner-2")
    verdict = await GamePlayed().verify(TASK, answer=last.answer, message="")
    assert verdict.correct


async def test_each_agent_reads_the_one_before_it() -> None:
    events = await played(says(["DD", "RR"], ["DD", "RR"]))
    graph = [event for event in events if isinstance(event, GraphPlanned)][-1].graph
    assert [(node.id, node.round) for node in graph.nodes] == [
        ("proposer-1", 1),
        ("planner-1", 1),
        ("proposer-2", 2),
        ("planner-2", 2),
    ]
    started = [event for event in events if isinstance(event, AgentStarted)]
    assert [event.reads for event in started] == [
        (),
        ("proposer-1",),
        ("planner-1",),
        ("proposer-2",),
    ]


async def test_what_people_type_is_played_like_a_dataset_s_task() -> None:
    typed = TaskSpec(query=f"{TASK.query}\n")
    events = await played(says(["DD"], ["DDRR"]), typed)
    assert moves(events)[-1].ended == "solved"
    broken = TaskSpec(query=TASK.query.replace("S.#", "S.x"))
    with pytest.raises(MethodError, match="board can't be read"):
        await played(says([], []), broken)


async def test_agents_that_act_at_once_see_the_start_of_the_turn() -> None:
    events = await played(says(["DD"], ["DDRR"]), order="parallel", turns=1)
    assert asked(events) == ["AaaSab.ac#ba.bb#bc.ca.cb.ccG||", "BaaSab.ac#ba.bb#bc.ca.cb.ccG|||"]


async def test_a_message_without_moves_costs_a_turn_and_ends_no_run() -> None:
    events = await played(says(["?", "?"], ["?", "DDRR"]), turns=2, temperature=1.0)
    assert [move.local for move in moves(events)[:2]] == [{"blocked": -0.1}] * 2
    assert moves(events)[-1].ended == "solved"


async def test_the_same_board_is_asked_about_with_another_seed() -> None:
    client = ScriptedClient(lambda _: "?")
    given = context(client, config=LETTERS | {"turns": 3, "temperature": 1.0}, seed=5)
    async for _ in AtGrpo().solve(TASK, given):
        pass
    assert [request.seed for request in client.requests] == [5, 5, 6, 6, 7, 7]


async def test_no_turn_is_played_beyond_the_last() -> None:
    events = await played(says(["R", "R"], ["R", "L"]), turns=2)
    assert len(moves(events)) == 4
    *_, last = (event for event in events if isinstance(event, IntermediateAnswer))
    assert last.answer == "Answer: right, left"


async def test_a_dead_endpoint_fails_the_run() -> None:
    def fails(_: ChatRequest) -> str | LLMError:
        return down()

    with pytest.raises(MethodError):
        await played(fails)


class Named(ScriptedClient):
    """Keeps the model that each call asks, and its limit."""

    def __init__(self) -> None:
        super().__init__(lambda _: "DD")
        self.models: list[str] = []
        self.limits: list[int] = []

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        self.models.append(endpoint.model)
        self.limits.append(request.max_tokens)
        return await super().chat(endpoint, request, on_delta)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    kept = Kept(
        environment="plan_path", model="nano", rank=0, alpha=0, agents=("proposer", "planner")
    )
    info = trained_info("at_grpo").model_copy(update={"config": kept.model_dump(mode="json")})
    save(tmp_path / "way", {"proposer:a": torch.zeros(1)}, info)
    return tmp_path / "way"


@pytest.mark.parametrize("swapped", [False, True])
async def test_each_agent_asks_the_model_that_was_trained_for_it(
    checkpoint: Path, swapped: bool
) -> None:
    client = Named()
    config = LETTERS | {"swapped": swapped, "turns": 1}
    given = context(client, config=config, checkpoint=checkpoint)
    events = [event async for event in AtGrpo().solve(TASK, given)]
    asked_of = ["way:proposer", "way:planner"]
    assert client.models == (asked_of[::-1] if swapped else asked_of)
    assert len(moves(events)) == 2


@pytest.mark.parametrize(("trained", "limit"), [(600, 600), (32, 256)])
async def test_a_reply_may_be_as_long_as_in_the_training(
    checkpoint: Path, trained: int, limit: int
) -> None:
    """Whatever half of the endpoint's context is: the studio's own has that of its smallest
    model."""
    edit(checkpoint, recipe={"training": {"max_tokens": trained}})
    client = Named()
    given = context(client, config=LETTERS | {"turns": 1}, checkpoint=checkpoint)
    endpoint = given.endpoint.model_copy(update={"context_length": 512})
    events = [event async for event in AtGrpo().solve(TASK, replace(given, endpoint=endpoint))]
    assert len(moves(events)) == 2
    assert client.limits == [limit] * 2


async def test_a_checkpoint_of_other_agents_is_refused(checkpoint: Path) -> None:
    given = context(Named(), config=LETTERS | {"plays": "planner"}, checkpoint=checkpoint)
    with pytest.raises(MethodError, match="trained for 2 agents, and 1 play"):
        [event async for event in AtGrpo().solve(TASK, given)]


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (TaskSpec(query="A or B?", verifier="choice"), "no episode of a game"),
        (TaskSpec(query="1 + 1"), "“letters” is for games"),
        (TASK.model_copy(update={"metadata": {"game": "chess", "board": MAZE}}), "no episode"),
        (TASK.model_copy(update={"metadata": {"game": "plan_path", "board": "S#x"}}), "be read"),
    ],
)
async def test_another_task_is_refused(task: TaskSpec, message: str) -> None:
    with pytest.raises(MethodError, match=message):
        await played(says([], []), task)


SUM = TaskSpec(query="What is 6 times 7?", reference="42", verifier="numeric")


async def asked_in_words(task: TaskSpec, *messages: str, **config: Any) -> list[Event]:
    left = list(messages)
    client = ScriptedClient(lambda _: left.pop(0))
    return [event async for event in AtGrpo().solve(task, context(client, config=config))]


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("task", [SUM, TaskSpec(query=SUM.query)], ids=["a task", "a question"])
async def test_a_reasoner_and_a_tool_user_play_until_they_agree(task: TaskSpec) -> None:
    program = "```python\nprint({})\n```"
    events = await asked_in_words(
        task, "Answer: 41", program.format("6 + 7"), "Answer: 42", program.format("6 * 7")
    )
    assert [move.agent_id for move in moves(events)] == [
        *("reasoner-1", "tool_user-1", "reasoner-2", "tool_user-2")
    ]
    assert [move.ended for move in moves(events)] == [None, None, None, "agreed"]
    assert [move.read for move in moves(events)] == ["41", "13", "42", "42"]
    assert moves(events)[-1].team == ({"right": 1} if task.reference else {})
    assert "It printed:\n\n13" in asked(events)[2]
    *_, last = (event for event in events if isinstance(event, IntermediateAnswer))
    assert (last.answer, last.agent_id) == ("42", "tool_user-2")


@pytest.mark.usefixtures("sandbox")
async def test_agents_that_answer_at_once_read_the_turn_before() -> None:
    events = await asked_in_words(SUM, "Answer: 41", "?", "?", "?", order="parallel", turns=2)
    assert asked(events)[:2] == [SUM.query, SUM.query]
    assert "Answer: 41" in asked(events)[3]


@pytest.mark.usefixtures("sandbox")
async def test_a_coder_and_a_tester_play_until_the_tests_pass() -> None:
    task = TaskSpec(
        query="Write double.",
        answer_form="code",
        verifier="unit_tests",
        metadata={"tests": "assert double(50) == 100"},
    )
    wrong, right = (f"```python\ndef double(n):\n    return n {sign} n\n```" for sign in "*+")
    tests = "```python\nassert double(3) == 6\n```"
    events = await asked_in_words(task, wrong, tests, right, tests)
    assert [move.ended for move in moves(events)] == [None, None, None, "passed"]
    assert [move.team for move in moves(events)] == [{"tests": 0}] * 2 + [{"tests": 1}] * 2
    assert "assert double(3) == 6  # it gives 9" in asked(events)[2]
    assert not any("double(50)" in prompt for prompt in asked(events))
    *_, last = (event for event in events if isinstance(event, IntermediateAnswer))
    assert last.answer == "def double(n):\n    return n + n"


@pytest.mark.parametrize(
    ("task", "plays", "said"),
    [
        (SUM, "planner", "no agent of mathematics"),
        (TASK, "coder", "no agent of a game"),
        (SUM.model_copy(update={"answer_form": "code"}), "reasoner", "no agent of code"),
    ],
)
async def test_an_agent_of_another_environment_is_refused(
    task: TaskSpec, plays: str, said: str
) -> None:
    with pytest.raises(MethodError, match=said) as raised:
        await asked_in_words(task, plays=plays)
    assert "Set “plays” to" in raised.value.remedy


async def test_a_checkpoint_that_reads_letters_is_refused_for_words(checkpoint: Path) -> None:
    given = context(Named(), config={}, checkpoint=checkpoint)
    with pytest.raises(MethodError, match="reads the letters of games, and no words"):
        [event async for event in AtGrpo().solve(SUM, given)]
