"""What designers and executors are worth in the world of teams: by the studio's own plays."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from bench.common.teams.looks import best
from bench.common.teams.optimum import CELLS, MOST_CALLS, Cell, cell_of, reward_of
from bench.common.teams.queries import Query
from bench.common.teams.teams import Agent, Chain, Ensemble, Reflection, Team
from bench.common.teams.world import TeamsWorld, words_in
from bench.common.teams.writing import script_of
from workers.core.methods.metaagent_x.training.demonstrating import played
from workers.core.methods.metaagent_x.training.worlds import DESIGNER, EXECUTOR, Role
from workers.core.rollouts.base import Messages, PolicyEngine, Sampling
from workers.core.scripts.blocks import Call
from workers.core.scripts.problems import ScriptError

if TYPE_CHECKING:
    from workers.core.specs import TaskSpec

DESIGN_TOKENS, ANSWER_TOKENS = 24, 3
PLAYS = 8
"""Plays of each design that is valued. They differ in their looks."""
Says = Callable[[Call, Messages], str]
"""Speaks for the executors."""
SIMPLE_TEAMS: tuple[Team, ...] = (
    Agent(),
    *(Ensemble((Agent(),) * members) for members in range(2, 8)),
    *(Chain((Agent(),) * parts) for parts in range(2, 5)),
    *(Reflection(Agent(), rounds) for rounds in range(1, 4)),
)


@dataclass(frozen=True, slots=True)
class Value:
    """Means over queries and plays. `runs`: the share of designs that delivered in every play."""

    reward: float
    correct: float
    runs: float
    calls: float


def best_executor(_: Call, messages: Messages) -> str:
    return best(words_in(messages))


def executor_of(engine: PolicyEngine, policies: Mapping[Role, str]) -> Says:
    """The policy's most probable answers. Each prompt is asked once."""
    policy, known = policies[EXECUTOR], dict[str, str]()

    def says(_: Call, messages: Messages) -> str:
        text = messages[0]["content"]
        if text not in known:
            prompt = engine.prompt(policy, messages)
            [[sample]] = engine.sample(policy, [prompt], 1, Sampling(ANSWER_TOKENS, 0, 0.0))
            known[text] = engine.text(policy, sample.tokens)
        return known[text]

    return says


def designed(
    engine: PolicyEngine, policies: Mapping[Role, str], world: TeamsWorld, tasks: Sequence[TaskSpec]
) -> list[str]:
    """The policy's most probable script for each task."""
    policy = policies[DESIGNER]
    prompts = [engine.prompt(policy, world.designer_messages(task)) for task in tasks]
    sampled = engine.sample(policy, prompts, 1, Sampling(DESIGN_TOKENS, 0, 0.0))
    return [engine.text(policy, sample.tokens) for (sample,) in sampled]


async def valued(
    queries: Sequence[Query], scripts: Sequence[str], says: Says, *, plays: int = PLAYS
) -> Value:
    """Each script on its query. The same looks for all scripts."""
    world, told = TeamsWorld(), list[tuple[bool, bool, int]]()
    runs = []
    for query, script in zip(queries, scripts, strict=True):
        own = [await _played(world, query, script, says, seed) for seed in range(plays)]
        runs.append(all(delivered for delivered, _, _ in own))
        told += own
    return Value(
        reward=fmean(reward_of(correct, calls) for _, correct, calls in told),
        correct=fmean(correct for _, correct, _ in told),
        runs=fmean(runs),
        calls=fmean(calls for _, _, calls in told),
    )


async def _played(
    world: TeamsWorld, query: Query, script: str, says: Says, seed: int
) -> tuple[bool, bool, int]:
    """Whether it delivered, whether that was right, and its calls."""
    task = query.task()
    generator = random.Random(f"{query.text} {seed}")
    try:
        shown, message = await played(world, task, script, says, generator, max_calls=MOST_CALLS)
    except ScriptError:
        return False, False, 0
    correct = message is not None and await world.correct(task, message.answer)
    return message is not None, correct, len(shown) - 1


async def best_for(queries: Sequence[Query], says: Says) -> dict[Cell, tuple[Team, float]]:
    """The best simple team of each cell for these executors, with its reward: a designer can do no
    better by the kind of a query."""
    found: dict[Cell, tuple[Team, float]] = {}
    for cell in CELLS:
        own = [query for query in queries if cell_of(query) == cell]
        for team in SIMPLE_TEAMS:
            value = await valued(own, [script_of(team)] * len(own), says)
            if cell not in found or value.reward > found[cell][1]:
                found[cell] = team, value.reward
    return found
