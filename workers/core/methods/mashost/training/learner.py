"""One training step: from sampled systems to new weights (arXiv 2506.08507, §4.2).

    r_G, r_M, A_G, Â     Eq. 4 to 6     credit.py
    J                    Eq. 7          `policy_loss`

Legend: N actions of all systems of a sample, K roles, D embedding.
"""

import copy
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from workers.core.methods.mashost.config import PolicyConfig
from workers.core.methods.mashost.policy import EmbeddedPool, MasHostPolicy, PoolTensors, seen_by
from workers.core.methods.mashost.steps import Likelihood, Steps, likelihood
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.credit import Credit, credit_of, stop_rewards
from workers.core.methods.mashost.training.critic import Critic, initial_critic
from workers.core.methods.mashost.training.trajectory import (
    Group,
    Trajectory,
    steps_since_explored,
    tensors_of,
)
from workers.core.rl.advantages import deviation
from workers.core.rl.objective import (
    action_weights,
    clipped_share,
    clipped_surrogate,
    importance,
    probability_ratio,
)

ENTROPY_RATE = 0.3
"""How fast the bonus follows the missing entropy, per nat and step."""

ENTROPY_BONUS_LIMITS = (0.01, 0.3)
"""Lower limit of the bonus: from near 0 it would need too long to follow."""

LEAST_CRITIC_ROWS = 256
ENTROPY_SHARE = 0.6
"""Most entropy to keep, as a share of an even choice's: in a small pool the schedule keeps less."""

ENTROPY_REACHED = 0.85
"""Share of the steps after which the entropy to keep is `entropy_end`."""


@dataclass(slots=True)
class Learner:
    """Policy, critic and their optimisers. `step` counts the updates so far."""

    config: MasHostTrainingConfig
    pool: EmbeddedPool
    policy: MasHostPolicy
    seed: int
    total_steps: int
    step: int = 0
    critic: Critic = field(init=False)
    averaged: MasHostPolicy = field(init=False)
    """The policy in checkpoints, with weights averaged over the steps. It never samples."""
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
            feedback=config.feedback_edges,
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
        """The pool under the current weights."""
        return self.policy.pool_tensors(self.pool)

    def update(
        self, groups: Sequence[Group], *, sampled_by: MasHostPolicy | None = None
    ) -> tuple[dict[str, float], Credit]:
        """Learn from one sample. Return its metrics and its credit.

        `sampled_by` is the policy that sampled, if it is not the current one: π_old of Eq. 7 is the
        current one, and `importance` corrects the difference. Probabilities are computed here for
        all actions at once: the last digits of the sampling's probabilities depend on which
        constructions were decided together.
        """
        run_config = self.config.run_config()
        systems = [system for group in groups for system in group]
        actions = [action for system in systems for action in system.actions]
        steps = tensors_of(actions, role_count=self.pool.size, config=run_config)
        with torch.no_grad():
            steps = replace(steps, seen=seen_by(steps.states, self.pool_tensors()))
            old = self._likelihood(self.policy, steps).log_probability
            sampled = self._likelihood(sampled_by, steps).log_probability if sampled_by else old
        values = self._values(steps)
        credit = credit_of(groups, values=values, config=self.config)
        counts = credit.layout.counts(credit.counts)
        weights = action_weights(credit.layout.present, weigh=self.config.weigh)
        weights = credit.layout.gather(weights) * counts
        # What a system that explored did before is another's, and was counted there. The action it
        # explored counts in full, however seldom the policy takes it; what follows is as drawn.
        since = steps_since_explored(systems, credit.layout)
        by_policy = importance(old, sampled, limit=self.config.importance_limit) * (since > 0)
        weights = weights * torch.where(since == 0, 1.0, by_policy)
        counts = _of_mean_one(counts * (since > 0))
        metrics = self._improve(steps, old, credit, _of_mean_one(weights))
        if credit.targets is not None:
            metrics |= self._learn_values(steps, systems, credit, credit.targets, counts)
        self.step += 1
        self._average()
        return metrics, credit

    # -- policy

    def _likelihood(self, policy: MasHostPolicy, steps: Steps) -> Likelihood:
        pool, config = policy.pool_tensors(self.pool), self.config
        return likelihood(policy, pool, steps, jpss=config.jpss, feedback=config.feedback_edges)

    def _improve(
        self, steps: Steps, old: Tensor, credit: Credit, weights: Tensor
    ) -> dict[str, float]:
        config = self.config
        for group in self.optimiser.param_groups:
            group["lr"] = config.learning_rate * self._decay()
        advantages = credit.layout.gather(credit.advantages)
        reports = [
            self._round(steps.take(rows), old[rows], advantages[rows], weights[rows])
            for _ in range(config.rounds)
            for rows in self._minibatches(len(steps))
        ]
        means = {name: statistics.fmean(r[name] for r in reports) for name in reports[0]}
        self._adapt_entropy(reports[0]["node_entropy"])
        return means | {"entropy_bonus": self.entropy_bonus}

    @torch.no_grad()
    def _average(self) -> None:
        """The first steps count equally, so the untrained policy is soon forgotten."""
        kept = min(self.config.average, 1 - 1 / self.step)
        new = self.policy.state_dict()
        for name, tensor in self.averaged.state_dict().items():
            tensor.lerp_(new[name], 1 - kept)

    def _round(
        self, steps: Steps, old: Tensor, advantages: Tensor, weights: Tensor
    ) -> dict[str, float]:
        config = self.config
        found = self._likelihood(self.policy, steps)
        loss = policy_loss(
            found, old, advantages, weights, config=config, entropy_bonus=self.entropy_bonus
        )
        self.optimiser.zero_grad()
        loss.backward()
        norm = _limited(self.policy, config.gradient_limit)
        self.optimiser.step()
        ratio = probability_ratio(found.log_probability.detach(), old)
        present = torch.ones_like(ratio, dtype=torch.bool)
        return {
            "loss": float(loss.detach()),
            "node_entropy": float(found.node_entropy.detach().mean()),
            "edge_entropy": float(found.edge_entropy.detach().mean()),
            "ratio_clipped": float(clipped_share(ratio, present, epsilon=config.epsilon)),
            "gradient_norm": float(norm),
        }

    def _minibatches(self, count: int) -> list[Tensor]:
        order = torch.randperm(count, generator=self.generator)
        return list(order.chunk(min(self.config.minibatches, count)))

    def _decay(self) -> float:
        held = self.config.learning_rate_hold
        done = (self.step / max(self.total_steps, 1) - held) / (1.0 - held)
        return 1.0 - (1.0 - self.config.learning_rate_end) * min(max(done, 0.0), 1.0)

    def _adapt_entropy(self, entropy: float) -> None:
        """Raise the bonus while the entropy is below the schedule, and lower it above."""
        config = self.config
        if config.entropy_start is None:
            return
        done = min(1.0, self.step / max(self.total_steps, 1) / ENTROPY_REACHED)
        wanted = config.entropy_start + (config.entropy_end - config.entropy_start) * done
        wanted = min(wanted, ENTROPY_SHARE * math.log(self.pool.size + 2))
        low, high = ENTROPY_BONUS_LIMITS
        bonus = max(self.entropy_bonus, low) * math.exp(ENTROPY_RATE * (wanted - entropy))
        self.entropy_bonus = min(high, max(low, bonus))

    # -- critic

    def _values(self, steps: Steps) -> tuple[Tensor, Tensor] | None:
        """V and X (N,) of all states before the update; None without a critic."""
        if self.config.baseline != "value":
            return None
        with torch.no_grad():
            value, stop = self.critic.forward(steps.states, self.pool.roles)
        return value[steps.where], stop[steps.where]

    def _learn_values(
        self,
        steps: Steps,
        systems: Sequence[Trajectory],
        credit: Credit,
        values: Tensor,
        counts: Tensor,
    ) -> dict[str, float]:
        """Regress V on `values`, and X on the known reward for stopping at each state."""
        errors = credit.layout.gather(credit.errors)
        stops = credit.layout.gather(stop_rewards(systems, beta=self.config.beta))
        targets = torch.stack([credit.layout.gather(values), stops], dim=1)
        losses = [
            self._critic_update(steps, targets, counts) for _ in range(self.config.critic_updates)
        ]
        variance = deviation(credit.rewards, credit.counts).square()
        unexplained = (errors.square() * counts).mean() / (variance + 1e-6)
        return {
            "critic_loss": statistics.fmean(losses),
            "unexplained_variance": float(unexplained),
        }

    def _critic_update(self, steps: Steps, targets: Tensor, counts: Tensor) -> float:
        rows = torch.randperm(len(steps), generator=self.generator)
        rows = rows[: max(LEAST_CRITIC_ROWS, len(steps) // 4)]
        taken = steps.take(rows)
        found = torch.stack(self.critic.forward(taken.states, self.pool.roles), dim=1)
        found = found.index_select(0, taken.where)
        loss = ((found - targets[rows]).square().sum(dim=1) * counts[rows]).mean()
        self.critic_optimiser.zero_grad()
        loss.backward()
        _limited(self.critic, self.config.gradient_limit)
        self.critic_optimiser.step()
        return float(loss.detach())


def policy_loss(
    found: Likelihood,
    old: Tensor,
    advantages: Tensor,
    weights: Tensor,
    *,
    config: MasHostTrainingConfig,
    entropy_bonus: float,
) -> Tensor:
    """−J of Eq. 7 over the N actions of a minibatch, with the entropy bonus: a scalar.

    `found` are the policy's values for the actions, `old` (N,) those before the update. `weights`
    (N,) is each action's weight in J: 1 on average over the sample, not over the minibatch, so an
    action moves the same in any minibatch. For the entropy all states count equally, however often
    they occur, so rare states stay open, too.
    """
    ratio = probability_ratio(found.log_probability, old)
    surrogate = clipped_surrogate(ratio, advantages, epsilon=config.epsilon)
    entropy = found.node_entropy + config.edge_entropy_share * found.edge_entropy
    return -(weights * surrogate).mean() - entropy_bonus * entropy.mean()


def _of_mean_one(weights: Tensor) -> Tensor:
    return weights / weights.mean()


def _limited(network: torch.nn.Module, limit: float | None) -> Tensor:
    """The gradient's norm. A gradient above the limit is scaled down to it."""
    return torch.nn.utils.clip_grad_norm_(network.parameters(), limit or math.inf)
