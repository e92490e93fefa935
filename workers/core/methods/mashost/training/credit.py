"""Computes what each action of a sample deserves (arXiv 2506.08507, Eq. 4 to 6), or with learned
values.

Legend: B queries, L systems per query, T actions of a system (padded), N actions of all systems.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.trajectory import (
    Group,
    Layout,
    Trajectory,
    layout_of,
    rows_of,
    shares_of,
    states_of,
    steps_since_explored,
)
from workers.core.rl.advantages import (
    STANDARD_DEVIATION_FLOOR,
    deviation,
    discounted_to_go,
    group_advantage,
    group_mean,
    hierarchical_advantage,
    shared_values,
    value_advantage,
)
from workers.core.rl.rewards import action_reward, system_reward


@dataclass(frozen=True, slots=True)
class Credit:
    """Rewards and advantages of a sample, systems as rows. `counts` is each one's weight, L in
    every group. Systems that explored count, too, except in a group's mean reward.

    `errors` are the advantages before the division by the config. `targets` are the right values of
    each state for a critic; None without one.
    """

    rewards: Tensor  # (B·L,) r_G
    action_rewards: Tensor  # (B·L, T) r_M
    advantages: Tensor  # (B·L, T) Â
    errors: Tensor  # (B·L, T)
    targets: Tensor | None  # (B·L, T)
    counts: Tensor  # (B·L,)
    layout: Layout


def credit_of(
    groups: Sequence[Group],
    *,
    values: tuple[Tensor, Tensor] | None,
    config: MasHostTrainingConfig,
) -> Credit:
    """Â of every action: Eq. 6, or with a value baseline. `values` are V and X of the N states."""
    systems = [system for group in groups for system in group]
    layout = layout_of(systems)
    rewards = system_reward(
        torch.tensor([system.correct for system in systems]),
        torch.tensor([float(system.tokens) for system in systems]),
        beta=config.beta,
    )
    by_action = action_reward(
        rows_of(systems, lambda action: action.correct).bool(),
        layout.present,
        exemption_time=config.exemption_time,
        alpha=config.alpha,
    )
    extra = by_action * config.action_term
    by_group = rewards.reshape(len(groups), -1)
    counts = shares_of(groups, as_drawn=config.count_draws, explorers=True).flatten()
    group_counts = shares_of(groups, as_drawn=config.count_draws)
    if values is None:
        group = group_advantage(by_group, normalise=config.normalise, counts=group_counts)
        group = group.flatten() * config.group_term
        errors = hierarchical_advantage(group, extra, layout.present, gamma=config.gamma)
        return Credit(rewards, by_action, errors, errors, None, counts, layout)
    errors, targets = _from_values(
        groups, by_group, extra, layout, values, counts=group_counts, config=config
    )
    advantages = errors
    if config.normalise == "batch":
        # Not centred: a constant for every action would pay for length, or for shortness.
        spread = deviation(layout.gather(errors), layout.counts(counts))
        advantages = errors / (spread + STANDARD_DEVIATION_FLOOR)
    return Credit(rewards, by_action, advantages, errors, targets, counts, layout)


def _from_values(
    groups: Sequence[Group],
    rewards: Tensor,
    extra: Tensor,
    layout: Layout,
    values: tuple[Tensor, Tensor],
    *,
    counts: Tensor,
    config: MasHostTrainingConfig,
) -> tuple[Tensor, Tensor]:
    """Errors and targets of V, (B·L, T) each. r_G and `counts` are (B, L); `extra` (B·L, T) are the
    rewards of actions.

    With `centre_luck` everything is relative to the mean reward of the query's systems, including
    the rewards of their actions: that is luck, not merit. So a first state is worth 0.
    """
    value, stop = layout.spread(values[0]), layout.spread(values[1])
    last = layout.present.sum(dim=1) - 1
    rows = torch.arange(len(last))
    expected = stop[rows, last]
    received = extra.clone()
    received[rows, last] += expected + config.trust_reward * (rewards.flatten() - expected)
    if config.centre_luck:
        value = (value - value[:, :1]) * layout.present
        luck = group_mean(received.sum(dim=1).reshape(rewards.shape), counts)
        received[rows, last] -= luck.expand_as(rewards).flatten()
    errors = value_advantage(value, received, layout.present, trace=config.trace)
    targets = value + errors
    if config.value_count is not None:
        shared = _from_the_same_state(
            groups, received, value, layout, config=config, prior_count=config.value_count
        )
        errors = value_advantage(shared, received, layout.present, trace=config.trace)
    return errors, targets


def _from_the_same_state(
    groups: Sequence[Group],
    received: Tensor,
    value: Tensor,
    layout: Layout,
    *,
    config: MasHostTrainingConfig,
    prior_count: float,
) -> Tensor:
    """The value of each state on its query, from the systems of its group that reached it: (B·L,
    T).

    V counts as `prior_count` systems and knows nothing of a query's luck. Which agents are right on
    this query is the same for all their readers. A system counts as often as it was drawn, or once
    without `count_draws`.
    """
    systems = [system for group in groups for system in group]
    draws = torch.tensor([float(system.draws) for system in systems])
    counts = draws if config.count_draws else draws.clamp(max=1)
    found = shared_values(
        states_of(groups),
        layout.gather(discounted_to_go(received, layout.present, gamma=1.0)),
        layout.gather(value),
        # Up to where it explored a system did not go on as the policy does.
        layout.counts(counts) * (steps_since_explored(systems, layout) > 0),
        prior_count=prior_count,
    )
    return layout.spread(found)


def stop_rewards(systems: Sequence[Trajectory], *, beta: float) -> Tensor:
    """(B·L, T): the reward for stopping before each action."""
    correct = rows_of(systems, lambda action: action.correct)
    tokens = rows_of(systems, lambda action: action.tokens)
    before = torch.zeros_like(correct)
    before[:, 1:] = correct[:, :-1]
    spent = torch.zeros_like(tokens)
    spent[:, 1:] = tokens[:, :-1]
    return system_reward(before.bool(), spent, beta=beta)
