"""One training step: from sampled systems to new weights (arXiv 2506.08507, §5).

    r_G, A_G, r_M        Eq. 4 and 5    workers.core.rl.rewards, workers.core.rl.advantages
    Â_i(a_t)             Eq. 6          `advantages_of`
    J                    Eq. 7          `Learner._round`

Legend: B queries, L systems per query, T actions of a system (padded), N actions of all systems,
K roles, D embedding.
"""

from __future__ import annotations

import copy
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from workers.core.methods.mashost.config import PolicyConfig
from workers.core.methods.mashost.policy import MasHostPolicy, PoolTensors
from workers.core.methods.mashost.steps import Likelihood, Steps, likelihood
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.critic import Critic, initial_critic
from workers.core.methods.mashost.training.trajectory import (
    Group,
    Layout,
    Trajectory,
    layout_of,
    rows_of,
    tensors_of,
)
from workers.core.rl.advantages import (
    group_advantage,
    hierarchical_advantage,
    value_advantage,
)
from workers.core.rl.objective import clipped_share, clipped_surrogate, probability_ratio
from workers.core.rl.rewards import action_reward, system_reward

ENTROPY_RATE = 0.3
"""How fast the bonus follows the entropy that is missing, per nat and step."""

ENTROPY_BONUS_LIMITS = (0.01, 0.3)
"""Never much below what it may have to be soon: what begins near 0 follows for too long."""

LEAST_CRITIC_ROWS = 256
ENTROPY_REACHED = 0.85
"""Share of the steps after which the entropy to keep is `entropy_end`."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The roles that systems are built from, embedded: profiles (K, D) and the prior's anchors."""

    roles: Tensor  # (K, D)
    anchors: Tensor

    @property
    def size(self) -> int:
        return self.roles.shape[0]


@dataclass(frozen=True, slots=True)
class Credit:
    """Rewards and advantages of a sample, systems as rows."""

    rewards: Tensor  # (B·L,) r_G
    action_rewards: Tensor  # (B·L, T) r_M
    advantages: Tensor  # (B·L, T) Â
    layout: Layout


@dataclass(slots=True)
class Learner:
    """Policy, critic and their optimisers. `step` counts the updates done."""

    config: MasHostTrainingConfig
    pool: Pool
    policy: MasHostPolicy
    seed: int
    total_steps: int
    step: int = 0
    critic: Critic = field(init=False)
    averaged: MasHostPolicy = field(init=False)
    """What checkpoints hold: the policy's weights averaged over the steps. It never samples."""
    optimiser: torch.optim.Adam = field(init=False)
    critic_optimiser: torch.optim.Adam = field(init=False)
    generator: torch.Generator = field(init=False)
    entropy_bonus: float = field(init=False)

    def __post_init__(self) -> None:
        config = self.config
        shape = PolicyConfig(
            embedding_dimension=self.policy.config.embedding_dimension,
            hidden=config.critic_hidden,
            layers=1,
        )
        self.critic = initial_critic(seed=self.seed, config=shape)
        self.averaged = copy.deepcopy(self.policy).eval()
        self.optimiser = torch.optim.Adam(self.policy.parameters(), lr=config.learning_rate)
        self.critic_optimiser = torch.optim.Adam(
            self.critic.parameters(), lr=config.critic_learning_rate
        )
        self.generator = torch.Generator().manual_seed(self.seed)
        self.entropy_bonus = config.entropy_bonus

    def pool_tensors(self) -> PoolTensors:
        """The pool under the weights of now."""
        return self.policy.pool_tensors(self.pool.roles, self.pool.anchors)

    def update(
        self, groups: Sequence[Group], *, sampled_by: MasHostPolicy | None = None
    ) -> tuple[dict[str, float], Credit]:
        """Learns from one sample; returns its metrics and its credit.

        `sampled_by` is the old policy π_old where it is not the present one. Its probabilities are
        computed here for all actions at once: those of the sampling depend, in their last digits,
        on which constructions happened to be decided together.
        """
        run_config = self.config.run_config()
        systems = [system for group in groups for system in group]
        actions = [action for system in systems for action in system.actions]
        steps = tensors_of(actions, role_count=self.pool.size, config=run_config)
        with torch.no_grad():
            old = self._likelihood(sampled_by or self.policy, steps).log_probability
        values = self._values(steps)
        credit = advantages_of(groups, values=values, config=self.config)
        weights = _weights(credit.layout)
        metrics = self._improve(steps, old, credit, weights)
        if values is not None:
            metrics |= self._learn_values(steps, systems, credit, values)
        self.step += 1
        self._average()
        return metrics, credit

    # -- policy

    def _likelihood(self, policy: MasHostPolicy, steps: Steps) -> Likelihood:
        pool = policy.pool_tensors(self.pool.roles, self.pool.anchors)
        return likelihood(policy, pool, steps, jpss=self.config.jpss)

    def _improve(
        self, steps: Steps, old: Tensor, credit: Credit, weights: Tensor
    ) -> dict[str, float]:
        config = self.config
        for group in self.optimiser.param_groups:
            group["lr"] = config.learning_rate * self._decay()
        advantages = credit.layout.gather(credit.advantages)
        if config.normalise == "batch":
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
        reports = []
        for _ in range(config.rounds):
            for rows in self._minibatches(len(steps)):
                reports.append(
                    self._round(steps.take(rows), old[rows], advantages[rows], weights[rows])
                )
        means = {name: statistics.fmean(r[name] for r in reports) for name in reports[0]}
        self._adapt_entropy(reports[0]["node_entropy"])
        return means | {"entropy_bonus": self.entropy_bonus}

    @torch.no_grad()
    def _average(self) -> None:
        """Of the first steps all count alike, so that the untrained policy is soon forgotten."""
        kept = min(self.config.average, 1 - 1 / self.step)
        new = self.policy.state_dict()
        for name, tensor in self.averaged.state_dict().items():
            tensor.lerp_(new[name], 1 - kept)

    def _round(
        self, steps: Steps, old: Tensor, advantages: Tensor, weights: Tensor
    ) -> dict[str, float]:
        """One update: the objective of Eq. 7 with the entropy bonus."""
        config = self.config
        found = self._likelihood(self.policy, steps)
        ratio = probability_ratio(found.log_probability, old)
        surrogate = clipped_surrogate(ratio, advantages, epsilon=config.epsilon)
        entropy = found.node_entropy + config.edge_entropy_share * found.edge_entropy
        loss = -(weights * surrogate).sum() / weights.sum() - self.entropy_bonus * entropy.mean()
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self.policy.parameters(), config.gradient_limit)
        self.optimiser.step()
        present = torch.ones_like(ratio, dtype=torch.bool)
        return {
            "loss": float(loss.detach()),
            "node_entropy": float(found.node_entropy.detach().mean()),
            "edge_entropy": float(found.edge_entropy.detach().mean()),
            "ratio_clipped": float(clipped_share(ratio.detach(), present, epsilon=config.epsilon)),
            "gradient_norm": float(norm),
        }

    def _minibatches(self, count: int) -> list[Tensor]:
        order = torch.randperm(count, generator=self.generator)
        return list(order.chunk(min(self.config.minibatches, count)))

    def _decay(self) -> float:
        done = self.step / max(self.total_steps, 1)
        return 1.0 - (1.0 - self.config.learning_rate_end) * min(done, 1.0)

    def _adapt_entropy(self, entropy: float) -> None:
        """Raises the bonus while the entropy is below what the schedule keeps, and lowers it."""
        config = self.config
        if config.entropy_start is None:
            return
        done = min(1.0, self.step / max(self.total_steps, 1) / ENTROPY_REACHED)
        wanted = config.entropy_start + (config.entropy_end - config.entropy_start) * done
        low, high = ENTROPY_BONUS_LIMITS
        bonus = max(self.entropy_bonus, low) * math.exp(ENTROPY_RATE * (wanted - entropy))
        self.entropy_bonus = min(high, max(low, bonus))

    # -- critic

    def _values(self, steps: Steps) -> tuple[Tensor, Tensor] | None:
        """V and X (N,) of all states before the update; None where no critic is asked."""
        if self.config.baseline != "value":
            return None
        with torch.no_grad():
            return self.critic.forward(steps.states, self.pool.roles)

    def _learn_values(
        self,
        steps: Steps,
        systems: Sequence[Trajectory],
        credit: Credit,
        values: tuple[Tensor, Tensor],
    ) -> dict[str, float]:
        """Regresses V on V + advantage, and X on the known reward of stopping at each state."""
        advantages = credit.layout.gather(credit.advantages)
        stops = credit.layout.gather(_stop_rewards(systems, beta=self.config.beta))
        targets = torch.stack([values[0] + advantages, stops], dim=1)
        losses = [self._critic_update(steps, targets) for _ in range(self.config.critic_updates)]
        unexplained = advantages.square().mean() / (credit.rewards.var(correction=0) + 1e-6)
        return {
            "critic_loss": statistics.fmean(losses),
            "unexplained_variance": float(unexplained),
        }

    def _critic_update(self, steps: Steps, targets: Tensor) -> float:
        rows = torch.randperm(len(steps), generator=self.generator)
        rows = rows[: max(LEAST_CRITIC_ROWS, len(steps) // 4)]
        states = steps.take(rows).states
        found = torch.stack(self.critic.forward(states, self.pool.roles), dim=1)
        loss = (found - targets[rows]).square().sum(dim=1).mean()
        self.critic_optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.critic.parameters(), self.config.gradient_limit)
        self.critic_optimiser.step()
        return float(loss.detach())


def advantages_of(
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
    present = layout.present
    if values is None:
        group = group_advantage(
            rewards.reshape(len(groups), -1), normalise=config.normalise
        ).flatten()
        group = group if config.group_term else torch.zeros_like(group)
        gamma = config.gamma
        extra = by_action if config.action_term else torch.zeros_like(by_action)
        advantages = hierarchical_advantage(group, extra, present, gamma=gamma)
    else:
        extra = by_action * config.action_term
        advantages = _value_advantages(
            rewards.reshape(len(groups), -1), extra, layout, values, config
        )
    return Credit(rewards, by_action, advantages, layout)


def _value_advantages(
    rewards: Tensor,
    extra: Tensor,
    layout: Layout,
    values: tuple[Tensor, Tensor],
    config: MasHostTrainingConfig,
) -> Tensor:
    """With V and X (N,) of all states, r_G (B, L) and rewards of single actions (B·L, T)."""
    value, stop = layout.spread(values[0]), layout.spread(values[1])
    last = layout.present.sum(dim=1) - 1
    rows = torch.arange(len(last))
    earned = rewards
    if config.centre_luck:
        # What a query's systems got above their state's value in common is luck, not merit.
        excess = rewards - value[:, 0].reshape(rewards.shape)
        earned = rewards - excess.mean(dim=1, keepdim=True)
    expected = stop[rows, last]
    received = extra.clone()
    received[rows, last] += expected + config.trust_reward * (earned.flatten() - expected)
    return value_advantage(value, received, layout.present, trace=config.trace)


def _stop_rewards(systems: Sequence[Trajectory], *, beta: float) -> Tensor:
    """(B·L, T): the reward that stopping before each action would have earned."""
    correct = rows_of(systems, lambda action: action.correct)
    tokens = rows_of(systems, lambda action: action.tokens)
    before = torch.zeros_like(correct)
    before[:, 1:] = correct[:, :-1]
    spent = torch.zeros_like(tokens)
    spent[:, 1:] = tokens[:, :-1]
    return system_reward(before.bool(), spent, beta=beta)


def _weights(layout: Layout) -> Tensor:
    """(N,): 1/L Σ_i 1/|M_i| Σ_t of Eq. 7, as a weight of each action; all sum to 1."""
    lengths = layout.present.sum(dim=1, keepdim=True)
    return layout.gather((1.0 / lengths).expand(layout.present.shape)) / len(lengths)
