"""Which trajectories of a step are learned from, by role and in parts."""

import random
from collections.abc import Mapping, Sequence

from workers.core.methods.metaagent_x.training.rollouts import Question
from workers.core.methods.metaagent_x.training.worlds import DESIGNER, Role
from workers.core.rollouts.base import Weighted
from workers.core.training.updating import Step


def trajectories(question: Question, role: Role) -> list[Weighted]:
    """The role's, with their advantages. Those of advantage 0 are left out."""
    if role == DESIGNER:
        return [
            Weighted(each.sample, each.advantage) for each in question.designs if each.advantage
        ]
    return [
        Weighted(spoken.sample, execution.advantage)
        for execution in question.executions
        if execution.advantage
        for spoken in execution.spoken
    ]


def lessons(
    questions: Sequence[Question],
    shares: Mapping[Role, float],
    policies: Mapping[Role, str],
    *,
    updates: int,
    seed: int,
) -> dict[str, list[Step]]:
    """By policy, at most `updates` optimiser steps, none of which is empty. A question is in one of
    them, and each role's loss is a mean of its own.

    `shares`: each role's share of the learning rate."""
    order = list(range(len(questions)))
    random.Random(seed).shuffle(order)  # noqa: S311  an order, no secret
    size = max(1, -(-len(order) // updates))
    weights = of_gradient(shares, policies)
    found: dict[str, list[Step]] = {policies[role]: [] for role in shares}
    for start in range(0, len(order), size):
        part = [questions[at] for at in order[start : start + size]]
        steps: dict[str, dict[str, list[Weighted]]] = {}
        for role in shares:
            batch = [
                Weighted(each.sample, each.advantage * weights[role])
                for question in part
                for each in trajectories(question, role)
            ]
            if batch:
                steps.setdefault(policies[role], {})[role] = batch
        for policy, step in steps.items():
            found[policy].append(step)
    return found


def of_gradient(shares: Mapping[Role, float], policies: Mapping[Role, str]) -> dict[str, float]:
    """Each role's share of the gradient. With a policy for each role its rate has the share."""
    are_shared = len(set(policies.values())) == 1
    return {role: share if are_shared else 1.0 for role, share in shares.items()}


def rates(
    rate: float, shares: Mapping[Role, float], policies: Mapping[Role, str]
) -> dict[str, float]:
    """The learning rate of each policy that learns: the largest of its roles'."""
    found: dict[str, float] = {}
    for role, share in shares.items():
        policy = policies[role]
        found[policy] = max(found.get(policy, 0.0), rate * share)
    return found
