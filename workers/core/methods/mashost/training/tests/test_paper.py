"""The paper's preset over HTTP: who summarises after every action costs tokens and is judged.

The stub's agents are always wrong; its summary agent is right as soon as a critic is in the team.
"""

import pytest

from workers.core.events import (
    AgentFinished,
    AgentStarted,
    IntermediateAnswer,
    TrainingEnded,
    TrainingMetric,
)
from workers.core.methods.mashost.method import MasHost
from workers.core.methods.mashost.state import AgentState
from workers.core.methods.mashost.training.config import PAPER
from workers.core.methods.mashost.training.systems import Sampled
from workers.core.methods.mashost.training.tests.over_http import SMALL, Trainer, product
from workers.core.methods.mashost.training.tests.watching import watch_systems
from workers.core.methods.tests.support import small_pool
from workers.core.testing.stub_process import running_stub
from workers.core.testing.stub_settings import Rule

STEPS = 2
RIGHT, WRONG = "42", "7"
TASKS = tuple(product(a, b) for a, b in ((6, 7), (14, 3), (2, 21), (1, 42)))
CRITIC = next(i for i, role in enumerate(small_pool().roles) if role.key == "critic")
# The first that matches speaks: an agent is asked by its own name, whoever it reads.
RULES = (
    *(Rule(f"You are the {role.key}.", reply=f"Answer: {WRONG}") for role in small_pool().roles),
    Rule('<message from="Critic', reply=f"The critic is right.\nAnswer: {RIGHT}"),
    Rule("You give the final answer of a team", reply=f"Answer: {WRONG}"),
)
TINY = {name: SMALL[name] for name in ("queries_per_step", "hidden", "layers", "critic_hidden")} | {
    "steps": STEPS,
    "max_agents": 3,
    "max_steps": 5,
    "checkpoint_every": 1,
    "answer_from": "summary",
    "final_answer": "summary",
}


def spent_after(sampled: Sampled, *, with_summaries: bool) -> list[int]:
    """What the system's agents have used when it answers after each action, from their events."""
    spent, after, summaries = 0, [], set()
    for event in sampled.events:
        if isinstance(event, AgentStarted) and event.summary:
            summaries.add(event.agent_id)
        elif isinstance(event, AgentFinished):
            if with_summaries or event.agent_id not in summaries:
                used = event.usage
                spent += (used.prompt_tokens or 0) + (used.completion_tokens or 0)
        elif isinstance(event, IntermediateAnswer):
            after.append(spent)
    return after


def teams_after(sampled: Sampled) -> list[tuple[AgentState, ...]]:
    """EXIT changes nothing."""
    states = [action.state for action in sampled.trajectory.actions]
    return [state.agents for state in (*states[1:], states[-1])]


def critic_after(sampled: Sampled) -> list[bool]:
    """Whether there is a critic in the team after each action."""
    return [any(agent.role_index == CRITIC for agent in team) for team in teams_after(sampled)]


def assert_judged_by_its_summaries(sampled: Sampled) -> None:
    actions = sampled.trajectory.actions
    answers = [event for event in sampled.events if isinstance(event, IntermediateAnswer)]
    speakers = [f"summary-{step}" for step in range(1, len(actions))] + ["summary"]
    for answer, speaker, team in zip(answers, speakers, teams_after(sampled), strict=True):
        assert answer.agent_id == (speaker if team else None)
    verdicts = critic_after(sampled)
    assert [action.correct for action in actions] == verdicts
    assert sampled.trajectory.correct is verdicts[-1]
    assert [answer.answer == RIGHT for answer in answers] == verdicts


def assert_charged_for_its_summaries(sampled: Sampled) -> None:
    spent = [action.tokens for action in sampled.trajectory.actions]
    assert spent == spent_after(sampled, with_summaries=True)
    assert sampled.trajectory.tokens == spent[-1]
    without = spent_after(sampled, with_summaries=False)
    assert all(one > other for one, other in zip(spent, without, strict=True))


async def test_a_training_as_in_the_paper_judges_and_charges_the_summary_after_every_action(
    train: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watch_systems(monkeypatch)
    config = MasHost.presets["paper"] | TINY
    with running_stub(rules=RULES) as stub:
        events = await train(url=stub.url, tasks=TASKS, config=config)
    assert isinstance(events[-1], TrainingEnded)
    assert (events[-1].step, events[-1].reason) == (STEPS, "completed")
    told = [event.values for event in events if isinstance(event, TrainingMetric)]
    assert len(told) == STEPS
    assert all("critic_loss" not in values for values in told)
    assert len(seen) == STEPS * TINY["queries_per_step"] * PAPER["systems_per_query"]
    for _, sampled in seen:
        assert_judged_by_its_summaries(sampled)
        assert_charged_for_its_summaries(sampled)
    # Some answer turned right on the way: no step is judged by what comes after it.
    assert any(set(critic_after(sampled)) == {True, False} for _, sampled in seen)
