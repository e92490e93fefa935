"""Rollouts with replies that are written down: who is asked when, what it is worth, and to whom."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from workers.core.errors import MethodError
from workers.core.methods.metaagent_x.training import plays
from workers.core.methods.metaagent_x.training.choosing import lessons, rates, trajectories
from workers.core.methods.metaagent_x.training.rollouts import (
    Design,
    Question,
    RolloutOptions,
    Rollouts,
    credited,
)
from workers.core.methods.metaagent_x.training.tests.toy import (
    BROKEN,
    CRASHES,
    RUNS,
    SINGLE,
    TASKS,
    VOTE,
    Letters,
)
from workers.core.methods.metaagent_x.training.worlds import DESIGNER, EXECUTOR, Role
from workers.core.rollouts.base import Ids, Messages, Sample, Sampling
from workers.core.scripts.meaning import Meaning
from workers.core.scripts.session import ScriptLimits, ScriptResult, Session
from workers.core.specs import TaskSpec

POLICIES: dict[Role, str] = {DESIGNER: "designer", EXECUTOR: "executor"}
OPTIONS = RolloutOptions(designs=2, executions=2, design_tokens=9, max_tokens=9, max_calls=8)
A = TASKS[:1]
"""Its answer is a."""


@dataclass
class Written:
    """An engine that says what is written: the designs, then the agents' replies in order."""

    designs: Sequence[str]
    replies: Sequence[str]
    asked: list[tuple[str, int, float]] = field(default_factory=list)
    """Policy, calls and temperature of each `sample`."""
    _texts: dict[Ids, str] = field(default_factory=dict)
    _said: int = 0

    def prompt(self, policy: str, messages: Messages) -> Ids:
        return tuple(map(ord, messages[-1]["content"]))

    def text(self, policy: str, tokens: Ids) -> str:
        return self._texts[tokens]

    def sample(
        self, policy: str, prompts: Sequence[Ids], n: int, sampling: Sampling
    ) -> list[list[Sample]]:
        self.asked.append((policy, len(prompts) * n, sampling.temperature))
        return [[self._sample(policy, prompt, at) for at in range(n)] for prompt in prompts]

    def _sample(self, policy: str, prompt: Ids, at: int) -> Sample:
        if policy == "designer":
            text = self.designs[at]
        else:
            text = self.replies[self._said % len(self.replies)]
            self._said += 1
        tokens = (len(self._texts),)
        self._texts[tokens] = text
        return Sample(prompt, tokens, (-1.0,), version=0, finish="stop")


def with_a_part_of(
    engine: Any, options: RolloutOptions = OPTIONS, world: Letters | None = None
) -> Rollouts:
    """Of an engine no more is asked than sampling."""
    return Rollouts(engine, world or Letters(), POLICIES, options)


async def rolled(
    designs: Sequence[str], replies: Sequence[str], **options: Any
) -> tuple[Question, Written]:
    engine = Written(designs, replies)
    own = replace(OPTIONS, **options)
    rollouts = with_a_part_of(engine, own)
    [question] = await rollouts.rolled(A, seed=1)
    return question, engine


async def test_all_calls_of_a_tick_are_sampled_together() -> None:
    """Two executions of one agent and two of three agents: eight calls at once."""
    question, engine = await rolled([SINGLE, VOTE], ["a"])
    assert engine.asked == [("designer", 2, 1.0), ("executor", 8, 1.0)]
    assert [len(each.spoken) for each in question.executions] == [1, 1, 3, 3]
    assert [design.shape for design in question.designs] == ["agent", "ensemble:majority(agent×3)"]


class Noting(Letters):
    """Notes which thread reads each script."""

    def meaning(self, task: TaskSpec, script: str) -> Meaning:
        READERS.append(threading.get_ident())
        return super().meaning(task, script)


READERS: list[int] = []


async def test_designs_are_read_beside_the_event_loop_and_keep_their_order() -> None:
    READERS.clear()
    rollouts = with_a_part_of(Written([VOTE, SINGLE], ["a"]), world=Noting())
    [question] = await rollouts.rolled(A, seed=1)
    assert [each.shape for each in question.designs] == ["ensemble:majority(agent×3)", "agent"]
    assert len(READERS) == 2
    assert threading.get_ident() not in READERS


def earned(design: Design) -> float:
    assert design.advantage is not None
    return design.advantage


async def test_the_matrix_and_its_advantages_by_hand() -> None:
    """One agent: right and wrong. Three votes: a, a, b is right, and b, b, a is wrong."""
    question, _ = await rolled([SINGLE, VOTE], ["a", "b", *"aab", *"bba"])
    single, vote = question.designs
    assert [each.reward for each in question.executions] == [1, 0, 1, 0]
    assert (single.reward, vote.reward) == (0.5, 0.5)
    assert (single.advantage, vote.advantage) == (0, 0), "the designs are worth the same"
    right, wrong = question.executions[0].advantage, question.executions[1].advantage
    assert right == pytest.approx(1, abs=1e-5)
    assert wrong == pytest.approx(-1, abs=1e-5)
    learned = trajectories(question, EXECUTOR)
    assert [each.advantage > 0 for each in learned] == [True, False, *[True] * 3, *[False] * 3]


async def test_a_design_that_cannot_be_used_is_worth_nothing_and_played_by_nobody() -> None:
    question, engine = await rolled([SINGLE, BROKEN], ["a"])
    usable, broken = question.designs
    assert (broken.reward, broken.executions) == (0, ())
    assert broken.problems
    assert broken.advantage == pytest.approx(-earned(usable))
    assert [each.sample for each in trajectories(question, DESIGNER)] == [
        *(usable.sample, broken.sample)
    ]
    assert engine.asked[-1] == ("executor", 2, 1.0)


async def test_a_run_has_one_design_and_the_temperatures_of_its_agents() -> None:
    engine = Written([SINGLE], ["a"])
    rollouts = with_a_part_of(engine)
    [question] = await rollouts.played(A, seed=1)
    assert engine.asked == [("designer", 1, 0.0), ("executor", 1, 0.0)]
    assert question.executions[0].correct


async def test_parts_of_the_reward_are_added() -> None:
    """An empty reply is no message: nothing is delivered."""
    question, _ = await rolled([SINGLE, VOTE], ["a", "", *"bbb", *"aaa"], delivery=0.4, format=0.2)
    assert [dict(each.parts) for each in question.executions] == [
        {"correct": 1.0, "delivery": 0.4, "format": 0.2},
        {},
        {"delivery": 0.4, "format": 0.2},
        {"correct": 1.0, "delivery": 0.4, "format": 0.2},
    ]
    failed = question.executions[1]
    assert failed.ended.ending == "failed"
    assert failed.learned, "its agent said nothing, and learns that"


async def test_calls_cost_the_designer_alone_and_never_more_than_was_earned() -> None:
    question, _ = await rolled([SINGLE, VOTE], ["a", "b", *"aaa", *"bbb"], call_cost=0.1)
    single, vote = question.designs
    assert [single.reward, vote.reward] == pytest.approx([0.45, 0.35])
    assert earned(single) > 0 > earned(vote)
    assert [each.reward for each in question.executions] == [1, 0, 1, 0]


async def test_a_team_with_too_many_calls_is_stopped(sandbox: None) -> None:
    question, _ = await rolled([VOTE, RUNS], ["a"], max_calls=1)
    for execution in question.executions:
        assert execution.ended.ending == "limit"
        assert (execution.reward, execution.learned) == (0, False)
        assert execution.ended.problem is not None
        assert execution.ended.problem.code == "too_many_calls"
    assert trajectories(question, EXECUTOR) == []


async def test_a_script_that_is_no_data_is_played_in_the_sandbox(sandbox: None) -> None:
    """Its second call depends on the first reply."""
    question, engine = await rolled([RUNS, SINGLE], ["a", "b", "b", "a", "a"])
    runs, _ = question.designs
    assert runs.meaning is not None
    assert runs.meaning.team is None
    assert [len(each.spoken) for each in runs.executions] == [2, 1]
    assert [each.correct for each in runs.executions] == [True, False]
    assert [calls for policy, calls, _ in engine.asked if policy == "executor"] == [4, 1]
    assert runs.executions[0].spoken[1].call.reads[0].text == "a"


async def test_a_script_that_crashes_teaches_its_designer_alone(sandbox: None) -> None:
    question, _ = await rolled([CRASHES, SINGLE], ["a"])
    crashed, single = question.designs
    assert [each.ended.ending for each in crashed.executions] == ["failed"] * 2
    assert [each.learned for each in crashed.executions] == [False] * 2
    assert earned(crashed) < 0 < earned(single)
    assert trajectories(question, EXECUTOR) == [], "the others are all right: equal rewards"


class Unchecked(Letters):
    """Plays every script, as if the check had a hole."""

    def meaning(self, task: TaskSpec, script: str) -> Meaning:
        return Meaning(script)


ASKS = 'from workflow import agent, deliver\nsaid = agent("Solver", "Answer.")()\n'
GARBAGE = """\
import os
for number in range(3, 10):
    try:
        os.write(number, b"garbage\\n")
    except OSError:
        pass
deliver(said)
"""


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        ("while True:\n    pass\n", "script_too_slow"),
        ("import os\nos._exit(0)\n", "script_died"),
        (GARBAGE, "channel_garbage"),
        ("deliver('x' * 1_000_000)\n", "message_too_long"),
    ],
)
async def test_a_design_that_misbehaves_earns_nothing_and_its_executor_learns_nothing(
    rest: str, code: str, sandbox: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plays, "script_limits", lambda _: ScriptLimits(seconds=0.5))
    engine = Written([ASKS + rest, ASKS + "deliver(said)"], ["a"])
    [question] = await with_a_part_of(engine, world=Unchecked()).rolled(A, seed=1)
    bad, good = question.designs
    assert [each.reward for each in good.executions] == [1, 1]
    for execution in bad.executions:
        assert execution.ended.problem is not None
        assert execution.ended.problem.code == code
        assert (execution.reward, execution.learned, len(execution.spoken)) == (0, False, 1)
    assert bad.reward == 0
    assert earned(bad) < 0 < earned(good)
    assert trajectories(question, EXECUTOR) == []


async def test_a_design_of_a_megabyte_is_not_played() -> None:
    question, engine = await rolled([SINGLE, f"{SINGLE}\n# {'x' * 1_000_000}"], ["a"])
    good, huge = question.designs
    assert (huge.meaning, huge.executions, huge.reward) == (None, (), 0)
    assert huge.problems
    assert earned(huge) < 0 < earned(good)
    assert engine.asked[1:] == [("executor", 2, 1.0)]


WRITES = "from workflow import agent, deliver\nagent('Solver', 'Answer.')()\ndeliver('a')"


async def test_a_text_of_the_scripts_own_is_an_answer(sandbox: None) -> None:
    question, _ = await rolled([WRITES, SINGLE], ["b"])
    writes, _ = question.designs
    assert [(each.answer, each.correct) for each in writes.executions] == [("a", True)] * 2


async def test_more_scripts_than_sandboxes_wait_their_turn(
    sandbox: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.core.methods.metaagent_x.training.rollouts.MOST_SCRIPTS", 1)
    question, engine = await rolled([RUNS, SINGLE], ["b"])
    assert [calls for policy, calls, _ in engine.asked if policy == "executor"] == [3, 1]
    assert all(each.ended.ending == "delivered" for each in question.executions)


async def test_without_a_sandbox_nobody_is_to_blame(monkeypatch: pytest.MonkeyPatch) -> None:
    async def settled(self: object) -> dict[int, object]:
        return {}

    problem = plays.NOTHING_DELIVERED.model_copy(update={"code": "sandbox_missing"})
    ended = ScriptResult(None, "broken", problem, 0, 0.0)
    monkeypatch.setattr(Session, "settled", settled)
    monkeypatch.setattr(Session, "result", property(lambda _: ended))
    with pytest.raises(MethodError) as raised:
        await rolled([RUNS, SINGLE], ["a"])
    assert raised.value.code == "sandbox_missing"


async def test_the_same_seed_gives_the_same_draws() -> None:
    first, second = await asyncio.gather(
        rolled([SINGLE, VOTE], ["a", "b"]), rolled([SINGLE, VOTE], ["a", "b"])
    )
    assert [each.reward for each in first[0].executions] == [
        each.reward for each in second[0].executions
    ]


Shares = dict[Role, float]


@pytest.mark.parametrize(
    ("shares", "batches"),
    [
        ({EXECUTOR: 1.0}, {"executor": {"executor"}}),
        ({DESIGNER: 1.0}, {"designer": {"designer"}}),
        ({DESIGNER: 1.0, EXECUTOR: 1.0}, {"designer": {"designer"}, "executor": {"executor"}}),
    ],
)
async def test_only_the_roles_with_a_share_teach(
    shares: Shares, batches: dict[str, set[str]]
) -> None:
    question, _ = await rolled([SINGLE, BROKEN], ["a", "b"])
    found = lessons([question], shares, POLICIES, updates=1, seed=0)
    assert {policy: set(step) for policy, [step] in found.items()} == batches


async def test_with_one_policy_the_share_is_of_the_gradient_else_of_the_rate() -> None:
    question, _ = await rolled([SINGLE, BROKEN], ["a", "b"])
    shares: Shares = {DESIGNER: 1.0, EXECUTOR: 0.1}
    shared: dict[Role, str] = dict.fromkeys(POLICIES, "shared")
    [step] = lessons([question], shares, shared, updates=1, seed=0)["shared"]
    assert [each.advantage for each in step["executor"]] == pytest.approx([0.1, -0.1], abs=1e-5)
    assert rates(2.0, shares, shared) == {"shared": 2.0}
    split = lessons([question], shares, POLICIES, updates=1, seed=0)["executor"][0]
    assert [each.advantage for each in split["executor"]] == pytest.approx([1, -1], abs=1e-5)
    assert rates(2.0, shares, POLICIES) == {"designer": 2.0, "executor": pytest.approx(0.2)}


async def test_each_update_has_whole_questions_and_none_is_empty() -> None:
    question, _ = await rolled([SINGLE, BROKEN], ["a", "b"])
    flat, _ = await rolled([SINGLE, SINGLE], ["a"])
    questions = [question, question, flat]
    found = lessons(questions, {EXECUTOR: 1.0}, POLICIES, updates=3, seed=0)["executor"]
    assert [len(step["executor"]) for step in found] == [2, 2]


async def test_credit_is_the_same_however_often_it_is_given() -> None:
    question, _ = await rolled([SINGLE, VOTE], ["a", "b", "a"])
    assert credited(question, call_cost=0) == question
