"""The cold start: messages that show what an answer looks like, before anything is sampled."""

import random
from collections.abc import Sequence
from typing import Any

from workers.core.environments.base import Environment
from workers.core.errors import MethodError
from workers.core.methods.at_grpo.trees import messages_for
from workers.core.rollouts.base import PolicyEngine, Weighted, demonstration
from workers.core.specs import TaskSpec


async def demonstrations(
    tasks: Sequence[TaskSpec],
    *,
    environment: Environment[Any],
    engine: PolicyEngine,
    policies: Sequence[str],
    weak: float,
    astray: float,
    generator: random.Random,
) -> dict[str, list[Weighted]]:
    """A message of each agent in one turn of each task, by policy. `weak`: the share of tasks whose
    messages know only half of the rules. `astray`: the share of tasks that are shown from where a
    weak player's turn has ended. Where there is no solution, or no player for an agent, there is no
    message. Raises MethodError if there is none at all."""
    shown: dict[str, list[Weighted]] = {policy: [] for policy in policies}
    for task in tasks:
        state = environment.begin(task)
        if generator.random() < astray:
            state = await _astray(environment, state, len(policies), generator)
        is_weak = generator.random() < weak
        for agent, policy in enumerate(policies):
            said = environment.demonstration(state, agent, generator, weak=is_weak)
            if said is None:
                continue
            prompt = engine.prompt(policy, messages_for(environment, state, agent))
            shown[policy].append(Weighted(demonstration(prompt, engine.answer(policy, said)), 1.0))
            state = (await environment.act(state, agent, said)).state
    if not any(shown.values()):
        raise MethodError(
            code="no_demonstrations",
            message="Nothing demonstrates a solution of any of the step's tasks.",
            remedy=environment.undemonstrated,
        )
    return shown


async def _astray(
    environment: Environment[Any], state: Any, agents: int, generator: random.Random
) -> Any:
    """The state after a weak player's turn. It stays as it is if that ends the episode, or if there
    is no such player."""
    after = state
    for agent in range(agents):
        said = environment.demonstration(after, agent, generator, weak=True)
        if said is None:
            return state
        after = (await environment.act(after, agent, said)).state
    return state if environment.ended(after) else environment.turned(after)
