"""Right runs, played again as demonstrations."""

import random
from pathlib import Path

import pytest
from pydantic import ValidationError

from workers.core.benchmarks.games.episodes import GAMES, episodes
from workers.core.benchmarks.games.plan_path import PlanPathOptions
from workers.core.environments.base import Order
from workers.core.environments.games import PlanPathTeam
from workers.core.environments.math import MathTeam
from workers.core.errors import MethodError
from workers.core.mas.tests.support import ScriptedClient, endpoint
from workers.core.methods.at_grpo.method import AtGrpo
from workers.core.methods.at_grpo.training.config import AtGrpoTrainingConfig
from workers.core.methods.at_grpo.training.demonstrating import Demonstrator
from workers.core.methods.at_grpo.training.replaying import Replays
from workers.core.methods.at_grpo.trees import messages_for
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import PolicySpec
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.traces import Spoken, Trace

TASK = TaskSpec(query="What is 3 + 4?", reference="7", verifier="numeric")
WRONG, RIGHT = "Answer: 8", "Answer: 7"
PROGRAM = "```python\nprint(3 + 4)\n```"
LOST = "```python\nprint(8)\n```"


def trace(*said: str, reference: str | None = "7") -> Trace:
    roles = ("math-reasoner", "math-tool-user")
    spoken = [Spoken(role=roles[at % 2], message=each) for at, each in enumerate(said)]
    return Trace(query=TASK.query, reference=reference, spoken=tuple(spoken))


def alone(message: str) -> Trace:
    """Of a method with other agents."""
    return Trace(query=TASK.query, reference="7", spoken=(Spoken(role="direct", message=message),))


async def said(*traces: Trace, order: Order = "sequential") -> list[list[str]]:
    runs = await Replays(MathTeam(), order, traces).of(TASK)
    return [[shown.said for shown in run] for run in runs]


@pytest.mark.usefixtures("sandbox")
class TestReplays:
    async def test_the_runs_with_the_fewest_messages_are_shown(self) -> None:
        long = trace(WRONG, PROGRAM, RIGHT, PROGRAM)
        assert await said(long) == [[WRONG, PROGRAM, RIGHT, PROGRAM]]
        assert await said(long, trace(RIGHT, PROGRAM)) == [[RIGHT, PROGRAM]]

    @pytest.mark.parametrize(
        "other",
        [
            trace(RIGHT, LOST),
            trace(),
            trace(RIGHT, PROGRAM, RIGHT, PROGRAM),  # goes on after its end
            trace(RIGHT, PROGRAM, reference="8"),
            Trace(query="7?", reference="7", spoken=trace(RIGHT, PROGRAM).spoken),
            Trace(query=TASK.query, reference="7", spoken=trace(RIGHT, PROGRAM).spoken[::-1]),
            alone(WRONG),
        ],
    )
    async def test_what_does_not_solve_the_task_here_is_not(self, other: Trace) -> None:
        assert await said(other) == []

    async def test_another_methods_only_reply_is_that_of_who_solves_the_task_with_it(self) -> None:
        for message, agent in ((RIGHT, 0), (PROGRAM, 1)):
            ((shown,),) = await Replays(MathTeam(), "sequential", [alone(message)]).of(TASK)
            assert (shown.agent, shown.said) == (agent, message)
            assert shown.messages[0]["content"] == MathTeam().roles[agent].prompt
            assert shown.messages[1]["content"] == TASK.query, "nobody has spoken before"

    async def test_a_team_s_run_is_shown_rather_than_a_single_reply(self) -> None:
        long = trace(WRONG, PROGRAM, RIGHT, PROGRAM)
        assert await said(alone(RIGHT), long) == [[WRONG, PROGRAM, RIGHT, PROGRAM]]

    async def test_of_another_methods_agents_who_heard_each_other_none_is_shown(self) -> None:
        agreed = [Spoken(role="debater", message=each) for each in (RIGHT, f"I agree. {RIGHT}")]
        debate = Trace(query=TASK.query, reference="7", spoken=tuple(agreed))
        assert await said(debate) == []

    async def test_agents_are_asked_as_this_training_asks_them(self) -> None:
        asked = {}
        for order in ("sequential", "parallel"):
            ((_, second),) = await Replays(MathTeam(), order, [trace(RIGHT, PROGRAM)]).of(TASK)
            asked[order] = second.messages[1]["content"]
        assert (RIGHT in asked["sequential"], RIGHT in asked["parallel"]) == (True, False)

    async def test_each_is_played_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        replays = Replays(MathTeam(), "sequential", [trace(RIGHT, PROGRAM)])
        first = await replays.of(TASK)
        monkeypatch.setattr(MathTeam, "act", None)
        assert await replays.of(TASK) == first


async def test_a_single_reply_on_a_board_commits_what_nobody_has_proposed() -> None:
    """The planner is shown an empty proposal, as if the proposer had said nothing."""
    task = WAYS[0]
    direct = Spoken(role="direct", message=f"Let me see.\n{task.reference}")
    run = Trace(query=task.query, reference=task.reference, spoken=(direct,))
    team = PlanPathTeam(proposes="answer")
    ((shown,),) = await Replays(team, "sequential", [run]).of(task)
    assert (shown.agent, shown.said) == (1, direct.message)
    assert shown.messages == messages_for(team, team.begin(task), 1)
    assert shown.messages[1]["content"].endswith("The proposal:\n\n(none)")


def test_single_replies_are_in_words() -> None:
    nano = AtGrpoTrainingConfig(rank=0, wording="letters")
    words = AtGrpoTrainingConfig(rank=0, wording="sentences")
    assert [each.reads_single_replies() for each in (nano, words)] == [False, True]


BOARDS = PlanPathOptions(size=3)
WAYS = list(episodes(GAMES["plan_path"], BOARDS, split="train", count=2, seed=0))


@pytest.mark.usefixtures("nano")
async def test_a_game_of_several_turns_is_shown_message_by_message() -> None:
    """The first turn goes one step, the second the rest."""
    team = PlanPathTeam(proposes="answer", wording="letters")
    state, spoken, asked = team.begin(WAYS[0]), [], []
    whole = team.demonstration(state, 0, random.Random(1), weak=False)
    assert whole
    for turn in range(2):
        rest = team.demonstration(state, 0, random.Random(1), weak=False)
        assert rest
        message = rest if turn else rest[:2]
        for agent, role in enumerate(team.roles):
            spoken.append(Spoken(role=role.key, message=message))
            asked.append(messages_for(team, state, agent))
            state = (await team.act(state, agent, message)).state
        state = state if team.ended(state) else team.turned(state)
    run = Trace(query=WAYS[0].query, reference=WAYS[0].reference, spoken=tuple(spoken))
    engine = InProcessEngine({"one": PolicySpec("nano")}, seed=0)
    replays = Replays(team, "sequential", [run])
    shower = Demonstrator(team, "sequential", 32, weak=0.0, astray=0.0, replays=replays)
    assert shower.demonstrated(WAYS, [0, 1]) == [0]
    found = await shower.demonstrations(
        WAYS, engine=engine, policies=("one", "one"), generator=random.Random(1)
    )
    assert [each.sample.prompt for each in found.found["one"]] == [
        engine.prompt("one", messages) for messages in asked
    ]


@pytest.mark.usefixtures("models", "sandbox")
async def test_runs_that_fit_nothing_here_are_told(tmp_path: Path) -> None:
    config = {"model": "tiny", "cold_from": "runs", "cold_weak": 0.0, "cold_steps": 1, "rank": 4}
    context = TrainingContext(
        llm=ScriptedClient(lambda _: ""),
        endpoint=endpoint(),
        seed=1,
        folder=tmp_path,
        config=config,
        traces=(trace(WRONG, LOST),),
    )
    with pytest.raises(MethodError, match="solves them with this training's agents") as raised:
        _ = [event async for event in AtGrpo().train([TASK], context)]
    assert "“wording”" in raised.value.remedy


def test_runs_are_not_asked_for_where_none_would_be_shown() -> None:
    with pytest.raises(ValidationError, match="no run is shown"):
        AtGrpoTrainingConfig(rank=0, cold_from="runs", cold_steps=1)
    assert AtGrpoTrainingConfig(rank=0, cold_from="runs", cold_steps=1, cold_weak=0.0).reads_runs()
    assert not AtGrpoTrainingConfig(rank=0, cold_from="runs", cold_weak=1.0).reads_runs()
