"""One update of the adapter from sampled trajectories (EvoMAS, §3.3, Eq. 14 to 17).

Legend: B trajectories, T stages of one (padded), L layers, N agents, D embedding.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn import functional

from workers.core.methods.evomas.adapter import (
    Adapter,
    Choosing,
    Sampled,
    States,
    likelihood,
)
from workers.core.methods.evomas.training.config import EvoMasTrainingConfig
from workers.core.rl.advantages import value_advantage
from workers.core.rl.reinforce import (
    RunningMeans,
    moved_baseline,
    others_mean,
    process_returns,
    reinforce_loss,
)

VALUE_RATE = 0.1
"""Learning rate of W_V relative to that of W_Q and W_K. A step of Adam turns h by the rate times a
sum over D × D weights; at the same rate, h would turn around before the attention has changed."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The stages of a solved task: the states and what was sampled for them, a row for each stage
    in as many parts as suit; the reward r_t of each verdict, and how far the task was before it
    (`state.progress`). `utility` is U(τ)."""

    states: tuple[States, ...]
    sampled: tuple[Sampled, ...]
    stage_rewards: tuple[float, ...]
    progress: tuple[str, ...]
    utility: float

    def __len__(self) -> int:
        return len(self.progress)


@dataclass(slots=True)
class Learner:
    """The adapter and its optimiser. `step` counts the updates; `baseline` is the moving one,
    `values` the mean returns by progress."""

    config: EvoMasTrainingConfig
    adapter: Adapter
    agents: Tensor  # (N, D)
    choosing: Choosing
    step: int = 0
    baseline: float = 0.0
    values: RunningMeans = field(default_factory=RunningMeans)
    optimiser: torch.optim.Adam = field(init=False)

    def __post_init__(self) -> None:
        rate, adapter = self.config.learning_rate, self.adapter
        self.optimiser = torch.optim.Adam(
            [
                {"params": [adapter.query, adapter.key], "lr": rate},
                {"params": [adapter.value], "lr": rate * VALUE_RATE},
            ]
        )

    def update(self, groups: Sequence[Sequence[Trajectory]]) -> dict[str, float]:
        """Learn from trajectories, grouped by task. Those without a stage teach nothing."""
        done = self.step / self.config.steps
        self.step += 1
        fallen = self.config.learning_rate * (1 - (1 - self.config.final_rate) * done)
        for group, share in zip(self.optimiser.param_groups, (1.0, VALUE_RATE), strict=True):
            group["lr"] = fallen * share
        each = [trajectory for group in groups for trajectory in group]
        lengths = torch.tensor([len(trajectory) for trajectory in each])
        if not int(lengths.sum()):
            return {}
        present = torch.arange(int(lengths.max())) < lengths.unsqueeze(1)  # (B, T)
        returns, subtracted = self._returns(groups, each, present)
        states = States.joined([state for trajectory in each for state in trajectory.states])
        sampled = _joined([row for trajectory in each for row in trajectory.sampled])
        found = likelihood(self.adapter, self.agents, states, sampled, self.choosing)
        logs = torch.zeros(present.shape).masked_scatter(present, found.log_probability)
        entropy = found.entropy.sum() / len(each)
        bonus = self.config.entropy_bonus * (1 - done)
        loss = reinforce_loss(logs, returns, present) - bonus * entropy
        self.optimiser.zero_grad()
        loss.backward()
        limit = self.config.gradient_limit
        norm = torch.nn.utils.clip_grad_norm_(self.adapter.parameters(), limit or float("inf"))
        self.optimiser.step()
        by_layer = found.entropy.detach().sum(dim=0) / sampled.present.sum(dim=0).clamp(min=1)
        reached = sampled.present.any(dim=0)
        return {
            "loss": float(loss.detach()),
            "gradient_norm": float(norm),
            "baseline": float(subtracted.mean()),
            **{
                f"entropy_{place + 1}": float(value)
                for place, value in enumerate(by_layer)
                if reached[place]
            },
        }

    def _returns(
        self, groups: Sequence[Sequence[Trajectory]], each: Sequence[Trajectory], present: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The advantages (B, T), by default R_t less its baseline, and the baseline (B,)."""
        config = self.config
        utility = torch.tensor([trajectory.utility for trajectory in each])
        rewards = torch.zeros(present.shape).masked_scatter(
            present, torch.tensor([r for trajectory in each for r in trajectory.stage_rewards])
        )
        returns = process_returns(utility, rewards, present, weight=config.process_reward)
        whole = returns[:, 0]
        if config.baseline == "progress":
            keys = [key for trajectory in each for key in trajectory.progress]
            self.values.take(keys, returns[present].tolist(), kept=config.baseline_kept)
            known = torch.tensor([self.values.of(key) for key in keys])
            values = torch.zeros(present.shape).masked_scatter(present, known)
            earned = returns - functional.pad(returns[:, 1:], (0, 1))
            advantages = value_advantage(values, earned, present, trace=config.trace)
            return advantages * present, values[:, 0]
        if config.baseline == "group":
            compared = [len(group) > 1 for group in groups]
            parts = whole.split([len(group) for group in groups])
            subtracted = torch.cat(
                [
                    others_mean(part) if enough else part
                    for part, enough in zip(parts, compared, strict=True)
                ]
            )
        elif config.baseline == "moving":
            subtracted = torch.full_like(whole, self.baseline)
            self.baseline = moved_baseline(self.baseline, whole, kept=config.baseline_kept)
        else:
            subtracted = torch.zeros_like(whole)
        return (returns - subtracted.unsqueeze(1)) * present, subtracted


def _joined(rows: Sequence[Sampled]) -> Sampled:
    return Sampled(
        torch.cat([row.log_probabilities for row in rows]),
        torch.cat([row.orders for row in rows]),
        torch.cat([row.present for row in rows]),
    )
