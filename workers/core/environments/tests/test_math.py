"""A reasoner and a tool user: what each message earns, what the other sees of it, and the end."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.benchmarks.gsm8k import GSM8K
from workers.core.environments.base import EpisodeError
from workers.core.environments.math import REASONER, TOOL_USER, MathTeam, Plays, Solving
from workers.core.environments.tests.saying import after
from workers.core.errors import MethodError
from workers.core.specs import TaskSpec
from workers.core.tools import sandbox as sandbox_module

TASK = TaskSpec(query="What is 6 times 7?", reference="42", verifier="numeric")
WORDS = "6 · 7 = 42\nAnswer: 42"
PROGRAM = "```python\nprint(6 * 7)\n```"

pytestmark = pytest.mark.usefixtures("sandbox")


async def said(*messages: str, team: MathTeam | None = None, task: TaskSpec = TASK) -> Solving:
    return await after(team or MathTeam(), task, *messages)


@pytest.mark.parametrize(
    ("agent", "message", "team", "local"),
    [
        (REASONER, WORDS, {"right": 1}, {"format": 0.2, "right": 0.8}),
        (REASONER, "Answer: 41", {"right": 0}, {"format": 0.2, "right": 0}),
        (REASONER, "6 · 7 = 42", {"right": 1}, {"format": 0, "right": 0.8}),
        (REASONER, "", {"right": 0}, {"format": 0, "right": 0}),
        (TOOL_USER, PROGRAM, {"right": 1}, {"build": 0.1, "run": 0.1, "right": 0.8}),
        (
            TOOL_USER,
            "```python\nprint(41)\n```",
            {"right": 0},
            {"build": 0.1, "run": 0.1, "right": 0},
        ),
        (
            TOOL_USER,
            "```python\nprint(42)\n1 / 0\n```",
            {"right": 0},
            {"build": 0.1, "run": 0, "right": 0},
        ),
        (
            TOOL_USER,
            "```python\nprint((42\n```",
            {"right": 0},
            {"build": 0, "run": 0, "right": 0},
        ),
        (TOOL_USER, "Answer: 42", {"right": 0}, {"build": 0, "run": 0, "right": 0}),
    ],
)
async def test_rewards(
    agent: int, message: str, team: dict[str, float], local: dict[str, float]
) -> None:
    environment = MathTeam()
    acted = await environment.act(environment.begin(TASK), agent, message)
    assert acted.reward.team == team
    assert acted.reward.local == pytest.approx(local)
    bare = await environment.act(environment.begin(TaskSpec(query="6 · 7?")), agent, message)
    assert not bare.reward.team
    assert bare.reward.local == {
        name: acted.reward.local[name] for name in local if name != "right"
    }


async def test_a_message_is_rewarded_as_if_its_answer_were_the_teams() -> None:
    """What the other agent said counts for nothing."""
    team = MathTeam()
    for before in ("Answer: 42", "Answer: 41", "?"):
        wrong = await team.act(await said(before), TOOL_USER, "```python\nprint(41)\n```")
        assert wrong.reward.team == {"right": 0}
        right = await team.act(await said(before), TOOL_USER, PROGRAM)
        assert right.reward.team == {"right": 1}


async def test_the_episode_ends_once_both_agree() -> None:
    team = MathTeam()
    assert team.ended(await said(WORDS)) is None
    both = await said(WORDS, "```python\nprint('$42.00')\n```")
    assert (team.ended(both), team.solved(both), team.answer(both)) == ("agreed", True, "$42.00")
    wrong = await said("Answer: 41", "```python\nprint(41)\n```")
    assert (team.ended(wrong), team.solved(wrong)) == ("agreed", False)


async def test_what_an_agent_said_in_the_last_turn_is_no_agreement_yet() -> None:
    team = MathTeam()
    later = await said("Answer: 41", PROGRAM, WORDS)
    assert later.agreed
    assert team.ended(later) is None, "the tool user has not spoken in this turn"


async def test_without_agreement_the_computed_answer_is_the_teams() -> None:
    team = MathTeam()
    apart = await said("Answer: 41", PROGRAM)
    assert team.ended(apart) is None
    assert (team.answer(apart), team.solved(apart)) == ("42", True)
    failed = await said(WORDS, "```python\n1 / 0\n```")
    assert (team.answer(failed), team.solved(failed)) == ("42", True)
    assert team.answer(await said("?", "?")) == ""
    assert team.answer(team.begin(TASK)) == ""


async def test_the_end_needs_no_reference() -> None:
    team, bare = MathTeam(), TaskSpec(query=TASK.query)
    state = await said("Answer: 41", "```python\nprint(41)\n```", task=bare)
    assert (team.ended(state), team.solved(state)) == ("agreed", False)


async def test_who_reads_what() -> None:
    team = MathTeam()
    start = team.begin(TASK)
    assert team.observation(start, REASONER) == team.observation(start, TOOL_USER) == TASK.query
    worded = await said(WORDS)
    assert "The other agent's answer, in words:\n\n6 · 7 = 42" in team.observation(
        worded, TOOL_USER
    )
    both = team.turned(await said(WORDS, "```python\nprint(6 + 7)\n```"))
    seen = team.observation(both, REASONER)
    assert "Your last answer, in words:\n\n6 · 7 = 42" in seen
    assert "The other agent's program:\n\n```python\nprint(6 + 7)\n```\n\nIt printed:\n\n13" in seen
    assert "Your last program:\n\n```python\nprint(6 + 7)" in team.observation(both, TOOL_USER)


@pytest.mark.parametrize("plays", ["reasoner", "tool_user"])
async def test_an_agent_alone_answers_once(plays: Plays) -> None:
    team = MathTeam(plays)
    state = await said(WORDS if plays == "reasoner" else PROGRAM, team=team)
    assert len(team.roles) == 1
    assert "nother agent" not in team.roles[0].prompt
    assert (team.ended(state), team.answer(state), team.solved(state)) == ("answered", "42", True)


@pytest.mark.parametrize(
    "program",
    [
        "while True: pass",
        "while True: print('x' * 10**6)",
        "open('/etc/passwd').read()",
        "import os\nwhile True: os.fork()",
        "(" * 5_000,
    ],
)
async def test_hostile_programs_earn_nothing_and_stay_small(program: str) -> None:
    team = MathTeam()
    acted = await team.act(team.begin(TASK), TOOL_USER, f"```python\n{program}\n```")
    assert acted.reward.team == {"right": 0}
    assert acted.reward.local["run"] == 0
    assert len(str(team.picture(acted.state))) < 12_000
    assert len(team.observation(acted.state, REASONER)) < 6_000


async def test_a_missing_sandbox_is_nobodys_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "_status", None)
    monkeypatch.setattr(sandbox_module, "bubblewrap_path", lambda: None)
    with pytest.raises(MethodError, match="bubblewrap is missing") as raised:
        await said(WORDS, PROGRAM)
    assert raised.value.remedy


@settings(deadline=None, max_examples=60)
@given(message=st.text(max_size=300))
async def test_no_message_breaks_the_reasoner(message: str) -> None:
    team = MathTeam()
    state = (await team.act(team.begin(TASK), REASONER, message)).state
    assert team.observation(state, TOOL_USER)
    assert team.picture(state)["agreed"] is False


@pytest.mark.parametrize(
    ("task", "why"),
    [
        (TaskSpec(query="1 + 1?"), "no reference answer that is a value"),
        (TaskSpec(query="Which?", reference="B", verifier="choice"), "that is a value"),
        (TaskSpec(query="1?", reference="no idea", verifier="numeric"), "not a number"),
    ],
)
def test_what_cannot_be_rewarded_is_told(task: TaskSpec, why: str) -> None:
    MathTeam().require_rewards(TASK)
    with pytest.raises(EpisodeError, match=why):
        MathTeam().require_rewards(task)


ROW = {
    "question": "A class of 20 has 8 boys. How many girls, in pairs?",
    "answer": "There are 20-8=<<20-8=12>>12 girls.\nThat is 12/2=<<12/2=6>>6 pairs.\n#### 6",
}


async def test_a_worked_solution_demonstrates_both_agents() -> None:
    team, task = MathTeam(), GSM8K.task(ROW)
    state = team.begin(task)
    told = [team.demonstration(state, agent, random.Random(0), weak=False) for agent in (0, 1)]
    assert told == [
        "There are 20-8=12 girls.\nThat is 12/2=6 pairs.\n\nAnswer: 6",
        "```python\nstep_1 = 20-8\nstep_2 = 12/2\nprint(step_2)\n```",
    ]
    for agent, message in enumerate(told):
        acted = await team.act(state, agent, str(message))
        assert acted.reward.mixed(1) == pytest.approx(2)
        state = acted.state
    assert team.ended(state) == "agreed"
    assert team.demonstration(state, REASONER, random.Random(0), weak=True) is None


@pytest.mark.parametrize(
    "answer",
    [
        "Half of it.\n#### 6",
        "It is 2*4=<<2*4=8>>8.\n#### 6",
        "It is 10%=<<10%*60=6>>6.\n#### 6",
        "It is <<__import__('os')=6>>6.\n#### 6",
        "It is <<6/0=6>>6.\n#### 6",
    ],
)
def test_a_solution_that_computes_something_else_demonstrates_no_program(answer: str) -> None:
    row: dict[str, Any] = ROW | {"answer": answer}
    state = MathTeam().begin(GSM8K.task(row))
    assert MathTeam().demonstration(state, TOOL_USER, random.Random(0), weak=False) is None
