"""A task graph solved: who is asked, whose answer flows on, and what is learned from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from workers.core.agents.database import AgentDatabase
from workers.core.agents.scoring import Scoring
from workers.core.errors import MethodError
from workers.core.events import (
    AgentStarted,
    CandidatesScored,
    Event,
    GraphPlanned,
    IntermediateAnswer,
    SubtaskAnswered,
)
from workers.core.llm.types import BudgetExceeded, ChatRequest
from workers.core.mas.tests.support import (
    USAGE,
    Script,
    ScriptedClient,
    collect,
    context,
    down,
    endpoint,
    kinds,
    others,
)
from workers.core.methods.reso.rewards import Reward, RewardModel, RuleReward, unjudged
from workers.core.methods.reso.solving import NobodyAnswered, TaskSolver, levels_of
from workers.core.methods.reso.tests.support import (
    GRAPH,
    POOL,
    E,
    OneDirection,
    by_role,
    of,
    right,
    wrong,
)
from workers.core.specs import SubtaskSpec, TaskGraphSpec


class Solved:
    """One query, with what came of it."""

    def __init__(self, script: Script, **fields: object) -> None:
        self.client = ScriptedClient(script)
        self.events: list[Event] = []
        self._fields = fields
        self.solver: TaskSolver

    async def run(
        self,
        *,
        k: int = 3,
        reward_model: RewardModel | None = None,
        graph: TaskGraphSpec = GRAPH,
        endpoints: Sequence[str] = ("stub",),
    ) -> Solved:
        database = await AgentDatabase.of(
            POOL, endpoints, embedder=OneDirection(), scoring=Scoring()
        )
        self.solver = TaskSolver(
            graph,
            database=database,
            context=context(self.client, embedder=OneDirection(), **self._fields),
            k=k,
            reward_model=reward_model,
        )
        await collect(self.solver.events(), self.events)
        return self

    def all(self, kind: type[E]) -> list[E]:
        return of(self.events, kind)


def test_what_depends_on_nothing_is_asked_at_once() -> None:
    assert [[each.id for each in level] for level in levels_of(GRAPH)] == [
        ["loaves", "cakes"],
        ["all"],
    ]


async def test_answers_flow_along_the_edges_and_the_last_one_is_the_query_s() -> None:
    solved = await Solved(right).run(k=1)
    assert [each.subtask for each in solved.all(CandidatesScored)] == ["loaves", "cakes", "all"]
    assert solved.solver.answers == {"loaves": "42", "cakes": "60", "all": "102"}
    last = solved.all(IntermediateAnswer)[-1]
    assert (last.answer, last.agent_id) == ("102", "all-1")
    reader = solved.client.requests[-1].messages[-1].content
    assert '<message from="Problem 1">' in reader
    assert "Answer: 42" in reader
    assert "Answer: 60" in reader
    assert "I add." not in reader
    (final,) = [each for each in solved.all(AgentStarted) if each.agent_id == "all-1"]
    assert final.reads == ("loaves-1", "cakes-1")
    first, whole = solved.all(GraphPlanned)
    assert [node.id for node in first.graph.nodes] == ["loaves-1", "cakes-1"]
    assert {(edge.source, edge.target) for edge in whole.graph.edges} == {
        ("loaves-1", "all-1"),
        ("cakes-1", "all-1"),
    }
    assert solved.solver.earned == []


async def test_candidates_of_a_level_are_asked_together() -> None:
    solved = await Solved(right).run(k=3)
    assert solved.client.peak == 6


async def test_in_testing_most_agents_decide() -> None:
    solved = await Solved(by_role(wrong, right)).run()
    for told in solved.all(SubtaskAnswered):
        assert [len(group.agent_ids) for group in told.groups] == [2, 1]
        assert told.agent_id == f"{told.subtask}-2"
        assert told.rewards == ()
        assert told.solved is None
    assert solved.all(IntermediateAnswer)[-1].answer == "102"


async def test_an_answer_is_told_right_or_wrong_where_the_right_one_is_known() -> None:
    told = (await Solved(by_role(wrong, right)).run(k=1)).all(SubtaskAnswered)
    assert [each.correct for each in told] == [False, False, False]
    unknown = TaskGraphSpec(
        subtasks=tuple(each.model_copy(update={"reference": None}) for each in GRAPH.subtasks)
    )
    told = (await Solved(right).run(k=1, graph=unknown)).all(SubtaskAnswered)
    assert [each.correct for each in told] == [None, None, None]
    told = (await Solved(right).run(k=1)).all(SubtaskAnswered)
    assert [each.correct for each in told] == [True, True, True]


async def test_what_is_told_is_exact_also_where_the_reward_is_not() -> None:
    near = TaskGraphSpec(
        subtasks=tuple(
            each.model_copy(update={"reference": str(int(each.reference or 0) + 1)})
            for each in GRAPH.subtasks
        )
    )
    solved = await Solved(right).run(k=1, graph=near, reward_model=RuleReward(tolerance=0.05))
    for told in solved.all(SubtaskAnswered):
        assert [reward.value for reward in told.rewards] == [1.0], "41 for 42"
        assert told.solved is True
        assert told.correct is False


async def test_while_it_learns_the_reward_decides_and_each_earns_its_own() -> None:
    solved = await Solved(by_role(right, wrong)).run(reward_model=RuleReward())
    told = solved.all(SubtaskAnswered)
    assert [(each.answer, each.solved) for each in told] == [
        ("42", True),
        ("60", True),
        ("102", True),
    ]
    earned = [(each.place, each.reward) for each in solved.solver.earned]
    assert earned == [(0, 1.0), (1, 0.0), (2, 0.0)] * 3
    assert solved.solver.earned[0].usage == USAGE


async def test_while_it_learns_it_stops_at_a_subtask_that_nobody_solved() -> None:
    solved = await Solved(wrong).run(reward_model=RuleReward())
    told = solved.all(SubtaskAnswered)
    assert [(each.subtask, each.solved) for each in told] == [("loaves", False), ("cakes", False)]
    assert solved.all(IntermediateAnswer)[-1].answer is None
    assert len(solved.solver.earned) == 6


async def test_an_agent_whose_endpoint_died_earns_nothing_and_loses_nothing() -> None:
    dead = await Solved(by_role(lambda _: down(), right)).run(reward_model=RuleReward())
    assert {each.place for each in dead.solver.earned} == {1, 2}
    assert dead.all(IntermediateAnswer)[-1].answer == "102"


def dies_at(part: str) -> Script:
    """The endpoint, of every agent that is asked this subtask."""
    return lambda request: (
        down()
        if part in request.messages[-1].content.rpartition("Question:")[2]
        else right(request)
    )


async def test_who_needs_an_answer_that_a_dead_endpoint_left_out_is_not_judged_by_it() -> None:
    dead = Solved(dies_at("14 loaves"))
    with pytest.raises(NobodyAnswered, match=r"The server is down\."):
        await dead.run(k=1, reward_model=RuleReward())
    assert [each.reward for each in dead.solver.earned] == [1.0]  # of the cakes
    assert [each.subtask for each in dead.all(SubtaskAnswered)] == ["loaves", "cakes"]


@pytest.mark.parametrize("part", ["14 loaves", "both bring", ""])
async def test_a_run_that_a_dead_endpoint_leaves_without_its_answer_fails(part: str) -> None:
    def answers(request: ChatRequest) -> Any:
        said = dies_at(part)(request)
        is_last = "both bring" in request.messages[-1].content
        return "REFUSE: I lack a number." if is_last and part != "both bring" else said

    with pytest.raises(NobodyAnswered, match=r"The server is down\."):
        await Solved(answers).run()


async def test_a_run_that_finds_its_answer_all_the_same_does_not_fail() -> None:
    solved = await Solved(dies_at("14 loaves")).run()
    assert solved.all(IntermediateAnswer)[-1].answer == "102"


class Broken:
    """A reward model that is out of order."""

    async def judge(self, *_: object) -> Reward:
        return unjudged("The reward model gave a number outside 0 to 1.")


async def test_what_could_not_be_judged_is_told_voted_on_and_never_learned_from() -> None:
    solved = await Solved(right).run(reward_model=Broken())
    assert solved.solver.earned == []
    told = solved.all(SubtaskAnswered)
    assert [each.answer for each in told] == ["42", "60", "102"]
    assert all(len(each.groups) == 1 for each in told)
    assert {each.solved for each in told} == {None}
    assert all(reward.problem for each in told for reward in each.rewards)


async def test_where_nobody_answers_a_subtask_nobody_who_needs_it_is_asked() -> None:
    def refuses_loaves(request: ChatRequest) -> str:
        return "REFUSE: no" if "14 loaves" in request.messages[-1].content else right(request)

    graph = TaskGraphSpec(
        subtasks=(
            GRAPH.subtasks[0],
            SubtaskSpec(id="all", text="What do both bring?", depends_on=("loaves",)),
        )
    )
    solved = Solved(refuses_loaves)
    with pytest.raises(MethodError, match="loaves-1 refused") as caught:
        await solved.run(k=1, graph=graph)
    assert caught.value.code == "no_input"
    assert len(solved.client.requests) == 1
    assert [each.answer for each in solved.all(SubtaskAnswered)] == [None, None]


async def test_a_spent_budget_passes_on_and_leaves_nobody_behind() -> None:
    spent = Solved(lambda _: BudgetExceeded(limit="tokens", message="All spent."))
    with pytest.raises(BudgetExceeded):
        await spent.run()
    assert kinds(spent.events)[:3] == ["candidates_scored", "candidates_scored", "graph_planned"]
    assert others() == set()


async def test_agents_are_asked_on_their_own_endpoints() -> None:
    large = endpoint("http://127.0.0.1:2/v1", key="large")
    solved = Solved(right, endpoints={"large": large})
    await solved.run(k=2, endpoints=("stub", "large"))
    assert {event.endpoint for event in solved.all(AgentStarted)} == {"stub", "large"}
