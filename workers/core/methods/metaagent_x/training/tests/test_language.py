"""The studio's own world: its messages are those of runs, its demonstrations are right runs."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from workers.core.errors import MethodError
from workers.core.events import AgentFinished, AgentStarted, BlockCalled
from workers.core.llm.types import ChatRequest, ChatResult
from workers.core.mas.tests.support import ScriptedClient, endpoint
from workers.core.methods.metaagent_x.tests.support import fenced, of, solved
from workers.core.methods.metaagent_x.training.config import MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.demonstrating import Demonstrator, played
from workers.core.methods.metaagent_x.training.language import LanguageWorld
from workers.core.methods.metaagent_x.training.plays import play_of
from workers.core.methods.metaagent_x.training.worlds import DESIGNER, EXECUTOR
from workers.core.scripts.blocks import VERDICT, Agent, Call, Message, alike
from workers.core.scripts.problems import ScriptError
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.traces import Spoken, Trace

TASK = TaskSpec(query="How much is 2 + 2?", reference="4", verifier="numeric")
CODE = TaskSpec(
    query="Write double(x).",
    answer_form="code",
    verifier="unit_tests",
    metadata={"tests": "assert double(2) == 4"},
)
NOBODY = random.Random(0)
VOTE = (
    "```python\nfrom workflow import agent, deliver, ensemble\n"
    'deliver(ensemble([agent(f"Solver {n}", "Solve it.") for n in range(3)]))\n```'
)
PROGRAM = (
    "```python\nfrom workflow import agent, deliver\n"
    'deliver(agent("Programmer", "Write a program.", tools=["program"]))\n```'
)


def world(**settings: Any) -> LanguageWorld:
    given: dict[str, Any] = {
        "tools": ("program",),
        "max_calls": 8,
        "design_room": 2_000,
        "room": 2_000,
        "small_model": False,
    }
    return LanguageWorld(**(given | settings))


def agent(**settings: Any) -> Agent:
    return Agent("Solver", "Solve it.", line=2, **settings)


def text_of(messages: Sequence[Any]) -> str:
    return "\n".join(message["content"] for message in messages)


def test_an_agent_reads_the_question_its_prompt_and_what_its_call_reads() -> None:
    heard = Message("Other", "I think 5", "5", number=1)
    asked = world().executor_messages(TASK, Call(agent(), (heard,)), NOBODY)
    assert [message["role"] for message in asked] == ["system", "user"]
    told = text_of(asked)
    for part in ("Solve it.", TASK.query, "I think 5", 'from="Other"', "Answer: …"):
        assert part in told


CHECKED = (
    'solver = agent("Solver", "Solve it.")',
    'critic = agent("Critic", "Check it.")',
    "deliver(reflection(solver, critic, rounds=1))",
)


@pytest.mark.parametrize("parameters", [10**8, 10**10])
async def test_a_run_asks_word_for_word_what_a_training_asks(parameters: int) -> None:
    """The designer, the solver, the critic who says no, and the solver again."""
    task = TASK.model_copy(update={"query": "What is 6 times 7?"})
    reply = fenced(*CHECKED)
    told = {"solve": "Answer: 41", "check": "No.\nVerdict: incorrect"}

    def says(request: ChatRequest) -> str:
        first = request.messages[0].content or request.messages[1].content
        is_design = "from workflow import" in first
        return reply if is_design else told[first.split()[0].strip(".").casefold()]

    asks = endpoint(parameters=parameters, context_length=8_192)
    events = await solved(says, task=task, config={"tools": "program"}, endpoint=asks)
    run = [list(event.prompt) for event in of(events, AgentStarted)]
    own = world(small_model=parameters < 10**9, max_calls=32, design_room=7_168, room=7_168)
    shown, _ = await played(
        own, task, reply, lambda call, _: told[call.agent.prompt.split()[0].casefold()], NOBODY
    )
    assert [list(map(dict, each.messages)) for each in shown] == run
    assert len(run) == 4


def test_a_critic_is_asked_for_a_verdict_and_not_for_an_answer() -> None:
    told = text_of(world().executor_messages(TASK, Call(agent(), wanted=VERDICT), NOBODY))
    assert "Verdict: correct" in told
    assert "Answer: …" not in told


def test_a_small_model_reads_short_prompts() -> None:
    small, large = world(small_model=True), world()
    assert len(text_of(small.designer_messages(TASK))) < len(text_of(large.designer_messages(TASK)))
    assert small.executor_messages(TASK, Call(agent()), NOBODY)[0]["content"] == ""


@pytest.mark.parametrize(
    ("task", "reply", "answer", "usable"),
    [
        (TASK, "It is 4.\nAnswer: 4", "4", True),
        (TASK, "<think>hm</think>Answer: 4", "4", True),
        (TASK, "", None, False),
        (TASK, "<think>only thoughts</think>", None, False),
        (TASK, "REFUSE: no", None, False),
        (CODE, "```python\ndef double(x):\n    return 2 * x\n```", "def double(x):", True),
    ],
)
async def test_what_is_read_of_a_reply(
    task: TaskSpec, reply: str, answer: str | None, usable: bool
) -> None:
    said = await world().said(task, Call(agent()), reply)
    assert said.usable is usable
    assert (said.answer or "").startswith(answer or "")
    assert (said.answer is None) is (answer is None)


async def test_a_program_in_a_message_is_run_where_the_agent_has_the_tool(sandbox: None) -> None:
    reply = "```python\nprint(2 + 2)\n```"
    with_tool = await world().said(TASK, Call(agent(tools=("program",))), reply)
    assert (with_tool.answer, "Output:\n4" in with_tool.text) == ("4", True)
    without = await world().said(TASK, Call(agent()), reply)
    assert without.answer != "4"


def test_another_tool_is_a_problem_of_the_script() -> None:
    script = VOTE.replace('"Solve it.")', '"Solve it.", tools=["browser"])')
    own = world()
    with pytest.raises(ScriptError, match="browser"):
        own.meaning(TASK, own.script(TASK, script)).required()


async def test_answers_are_judged_by_the_task(sandbox: None) -> None:
    own = world()
    assert await own.correct(TASK, "4.0")
    assert not await own.correct(TASK, "5")
    assert not await own.correct(TASK, None)
    assert await own.correct(CODE, "def double(x):\n    return 2 * x")
    assert not await own.correct(CODE, "def double(x):\n    return x")
    assert own.same(TASK, ["4", "5", "4.0"]) == [[0, 2], [1]]


def test_tasks_without_a_verifier_are_refused() -> None:
    with pytest.raises(MethodError, match="no verifier"):
        world().require([TASK, TaskSpec(query="Why?")])


def trace(*spoken: tuple[str, str], query: str = TASK.query) -> Trace:
    said = tuple(Spoken(role=role, message=message) for role, message in spoken)
    return Trace(query=query, reference="4", spoken=said)


RIGHT = trace(
    ("designer", VOTE),
    ("solver-1", "Answer: 5"),
    ("solver-0", "Answer: 4"),
    ("solver-2", "Answer: 4"),
)


async def shown(*traces: Trace) -> Sequence[Any]:
    return await world(traces=traces).demonstrated(TASK, NOBODY)


async def test_a_right_run_shows_both_roles_in_this_trainings_prompts() -> None:
    found = await shown(RIGHT)
    assert [each.role for each in found] == [DESIGNER, *[EXECUTOR] * 3]
    assert [each.said for each in found] == [VOTE, "Answer: 4", "Answer: 5", "Answer: 4"]
    own = world()
    assert found[0].messages == own.designer_messages(TASK)
    assert TASK.query in text_of(found[1].messages)


async def test_of_a_design_that_had_to_be_corrected_the_last_is_shown() -> None:
    found = await shown(
        trace(("designer", "deliver("), *((s.role, s.message) for s in RIGHT.spoken))
    )
    assert found[0].said == VOTE


@pytest.mark.parametrize(
    "other",
    [
        trace(*((each.role, each.message) for each in RIGHT.spoken[1:])),
        trace(("designer", "import os"), ("solver-0", "Answer: 4")),
        trace(("designer", VOTE), ("solver-0", "Answer: 4")),
        trace(("designer", VOTE), *((f"solver-{n}", "Answer: 5") for n in range(3))),
    ],
    ids=["script was given", "no longer valid", "an agent is missing", "not right here"],
)
async def test_a_run_that_shows_nothing_here_is_left_out(other: Trace) -> None:
    assert await shown(other) == ()
    assert len(await shown(other, RIGHT)) == 4


async def test_what_a_program_printed_is_not_taught(sandbox: None) -> None:
    said = "```python\nprint(4)\n```"
    found = await shown(
        trace(("designer", PROGRAM), ("programmer", f"{said}\n\nOutput:\n4\n\nAnswer: 4"))
    )
    assert found[1].said == said


PAIRS = fenced(
    'first = sequence(agent("S", "First."), agent("T", "Then."))',
    'other = sequence(agent("S", "Other first."), agent("T", "Other then."))',
    "deliver(ensemble([first, other]))",
)


async def test_agents_of_one_name_are_shown_with_what_each_of_them_said() -> None:
    """As it is in a run whose second pair was faster, so its successor was asked first."""
    replies = {each: f"of {each.casefold()}. Answer: 4" for each in ("First", "Then")}
    replies |= {
        f"Other {each.casefold()}": f"of other {said[3:]}" for each, said in replies.items()
    }

    class Slow(ScriptedClient):
        async def chat(self, *given: Any) -> ChatResult:
            prompt = given[1].messages[0].content.partition(".")[0]
            self.turns = 1 if prompt.startswith("Other") else 50
            return await super().chat(*given)

    def says(request: ChatRequest) -> str:
        prompt = request.messages[0].content.partition(".")[0]
        return PAIRS if "You design" in prompt else replies[prompt]

    events = await solved(Slow(says), task=TASK)
    places = {call.node.id: call.place for call in of(events, BlockCalled)}
    roles = {each.agent_id: each.role_key for each in of(events, AgentStarted)}
    finished = of(events, AgentFinished)
    assert [each.agent_id for each in finished] == ["designer", "a2", "a3", "a1", "a4"]
    spoken = tuple(
        Spoken(
            role=roles[each.agent_id],
            message=each.message,
            agent=each.agent_id,
            place=places.get(each.agent_id, ()),
        )
        for each in finished
    )
    found = await shown(Trace(query=TASK.query, reference="4", spoken=spoken))
    assert len(found) == 5
    for each in found[1:]:
        prompt = each.messages[0]["content"].partition(".")[0].casefold()
        assert each.said.startswith(f"of {prompt}")


async def test_an_agent_may_be_called_designer() -> None:
    team = fenced('deliver(agent("Designer", "Solve it."))')
    said = (("designer", team, "designer"), ("designer", "Answer: 4", "a1"))
    spoken = tuple(Spoken(role=role, message=text, agent=agent) for role, text, agent in said)
    found = await shown(Trace(query=TASK.query, reference="4", spoken=spoken))
    assert [each.said for each in found] == [team, "Answer: 4"]


async def test_a_run_whose_script_wrote_the_answer_is_shown(sandbox: None) -> None:
    team = fenced('said = agent("A", "Solve it.")()', 'deliver(f"So it is {said.answer}")')
    found = await shown(trace(("designer", team), ("a", "Answer: 4")))
    assert [each.said for each in found] == [team, "Answer: 4"]


async def test_a_tool_that_is_chosen_while_the_script_runs_is_checked_too(sandbox: None) -> None:
    """As in a run."""
    own = world()
    team = fenced(
        'tools = ["program"] if "apples" in question else ["browser"]',
        'deliver(agent("A", "Solve it.", tools=tools))',
    )
    meaning = own.meaning(TASK, own.script(TASK, team)).required()
    play = play_of(meaning, alike, TASK.query, max_calls=8)
    try:
        assert not await play.waiting()
    finally:
        await play.close()
    assert play.ended is not None
    assert play.ended.problem is not None
    assert (play.ended.problem.code, play.ended.by_agents) == ("unknown_tool", False)


def test_only_tasks_with_a_right_run_are_demonstrated() -> None:
    own = world(traces=(RIGHT,))
    other = TASK.model_copy(update={"query": "3 + 3?"})
    demonstrator = Demonstrator(own, {}, {})
    assert demonstrator.demonstrated([other, TASK], [0, 1]) == [1]
    with pytest.raises(MethodError, match="No run of MetaAgent-X was right"):
        demonstrator.demonstrated([other], [0])


def test_the_world_of_a_training_follows_its_settings(tmp_path: Path) -> None:
    context = TrainingContext(
        llm=ScriptedClient(lambda _: ""),
        endpoint=endpoint(),
        seed=0,
        folder=tmp_path,
        config={},
        traces=(RIGHT,),
    )
    made = LanguageWorld.made(MetaAgentXTrainingConfig(cold_steps=1), context)
    assert (made.small_model, made.traces, made.tools) == (True, (RIGHT,), ("program",))
    large = MetaAgentXTrainingConfig(model="Qwen/Qwen3-8B", tools="")
    made = LanguageWorld.made(large, context)
    assert (made.small_model, made.traces, made.tools) == (False, (), ())
