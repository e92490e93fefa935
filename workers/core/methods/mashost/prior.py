"""The prior: what the policy prefers before it has learned anything.

Random weights would build the same meaningless team for every query. These terms are few, readable
and learned like all other weights. They start at the numbers below, and the networks' own terms
start at zero. So an untrained policy
  - prefers roles whose profile, or a phrase of it, is close to the query, and those that fit the
    newest message,
  - avoids a role that is present or was deleted, and roles that resemble those present,
  - wants a checker once two agents have answered, but not two; considers a role that combines
    answers once there are three,
  - exits sooner the more agents have answered, later while no agent has checked,
  - deletes an agent that refused,
  - lets similar experts work independently and checkers read every agent with a message,
  - with feedback edges, lets checkers send back once to the agents that do the work.
The value of an answer that two agents gave depends on the model, so the prior ignores it. Each
number was set by looking at the teams built for a dozen queries. None is from the paper.

Legend: B states, N agents, K roles, S stages (plan, check, combine), D embedding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn

from workers.core.methods.mashost.state import StateBatch

PLAN, CHECK, COMBINE = 0, 1, 2
ROWS = 8
"""Rows of the tables by number of agents that have answered. Higher numbers use the last row."""

_STAGE_FROM, _STAGE_TO = 0.35, 0.60
"""Cosines between a role's profile and a stage's anchor at which membership is 0 and 1."""


@dataclass(frozen=True, slots=True)
class Features:
    """The prior's inputs, all in [-1, 1] or counts."""

    answers: Tensor  # (B,) int64, agents that have answered: row of the tables
    others: Tensor  # (B,) agents that have not
    fit: Tensor  # (B, K) how near a role is to the query, minus the nearest one: ≤ 0
    follow: Tensor  # (B, K) cosine(newest message, role)
    repeats: Tensor  # (B, K) agents that play this role
    removed: Tensor  # (B, K) deleted agents that played it
    resemblance: Tensor  # (B, K) largest cosine with a role present
    covered: Tensor  # (B, S) strongest membership among agents that spoke
    newest_silent: Tensor  # (B,) 1 when the newest agent has nothing to say
    agreement: Tensor  # (B,) cosine of the two newest messages
    support: Tensor  # (B,) 1 when somebody else gave the newest agent's answer

    def take(self, rows: Tensor) -> Features:
        return Features(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


def stage_scores(roles: Tensor, anchors: Tensor, sizes: Sequence[int]) -> Tensor:
    """Membership in [0, 1] of each role in each stage: (K, D), (anchors, D) → (K, S).

    `sizes` are the numbers of anchors of each stage, in the order of the rows.
    """
    groups = torch.split(roles @ anchors.T, list(sizes), dim=1)
    best = torch.stack([cosines.amax(dim=-1) for cosines in groups], dim=-1)
    return ((best - _STAGE_FROM) / (_STAGE_TO - _STAGE_FROM)).clamp(0.0, 1.0)


def features(
    batch: StateBatch, roles: Tensor, likeness: Tensor, stages: Tensor, fit: Tensor
) -> Features:
    """Vectorised over the pool. Nothing here is learned, so training computes it once per sample.

    `roles` (K, D). `likeness` (K, K): their cosines with each other. `stages` (K, S). `fit` (Q, K):
    how near each role is to each query of the batch.
    """
    kind = batch.queries.dtype
    present = batch.present.to(kind)  # (B, N)
    count = batch.present.sum(dim=1)
    answers = (batch.answered & batch.present).sum(dim=1)
    latest = _latest(batch, count)  # (B, 2, N)
    newest = batch.texts[(latest * batch.messages.unsqueeze(1)).sum(dim=-1)]  # (B, 2, D)
    near = fit[batch.query]  # (B, K)
    spoke = present * (~batch.silent)
    return Features(
        answers=answers.clamp(max=ROWS - 1),
        others=(count - answers).to(kind),
        fit=near - near.amax(dim=-1, keepdim=True),
        follow=newest[:, 0] @ roles.T,
        repeats=torch.zeros_like(batch.removed).scatter_add(1, batch.roles, present),
        removed=batch.removed,
        resemblance=_highest(likeness[batch.roles] * present.unsqueeze(-1)),
        covered=_highest(stages[batch.roles] * spoke.unsqueeze(-1)),
        newest_silent=(latest[:, 0] & batch.silent).any(dim=-1).to(kind),
        agreement=(newest[:, 0] * newest[:, 1]).sum(dim=-1),
        support=(latest[:, 0] & (batch.support > 0)).any(dim=-1).to(kind),
    )


def _latest(batch: StateBatch, count: Tensor) -> Tensor:
    """The positions of the newest agent and the one before it: (B,) → (B, 2, N) bool.

    All False for a missing agent.
    """
    places = torch.arange(batch.present.shape[1], device=batch.present.device)
    wanted = torch.stack([count - 1, count - 2], dim=1)
    return places == wanted.unsqueeze(-1)


def _highest(values: Tensor) -> Tensor:
    """Maximum over the agents, 0 without any: (B, N, X) → (B, X)."""
    nobody = values.new_zeros(values.shape[0], 1, values.shape[2])
    return torch.cat([nobody, values], dim=1).amax(dim=1)


class NodePrior(nn.Module):
    """The prior's logits of the K roles, DELETE and EXIT."""

    def __init__(self) -> None:
        super().__init__()
        self.fit = _scalar(20.0)
        self.fit_later = _scalar(10.0)
        self.fit_of_stage_roles = _scalar(0.3)
        self.follow = _scalar(2.0)
        self.repeat = _scalar(-12.0)
        self.removed = _scalar(-12.0)
        self.resemblance = _scalar(-3.0)
        self.stage = nn.Parameter(
            torch.tensor(
                [[-1.0, -8.0, -8.0], [-4.0, -1.5, -6.0], [-5.0, 4.5, 1.5]]
                + [[-6.0, 5.0, 4.0]] * (ROWS - 3)
            )
        )  # (rows, S), by agents that have answered
        self.stage_covered = nn.Parameter(torch.tensor([-4.0, -7.0, -8.0]))
        # (rows,), by agents that have answered
        self.exit = nn.Parameter(torch.tensor([-8.0, -8.0, -3.0, -1.5, 0.5, 2.0, 4.0, 6.0]))
        self.exit_others = _scalar(0.5)
        self.exit_covered = nn.Parameter(torch.tensor([0.0, 1.5, 3.0]))
        self.exit_silent = _scalar(-4.0)
        self.exit_agreement = _scalar(0.5)
        self.exit_support = _scalar(0.0)
        self.delete = _scalar(-14.0)
        self.delete_silent = _scalar(16.0)

    def forward(self, seen: Features, stages: Tensor) -> Tensor:
        """Logits from the states and the pool's stages (K, S) → (B, K + 2)."""
        staged = stages.amax(dim=-1)  # (K,)
        # A planner or checker serves any query, so its distance to the query counts for less; a
        # second expert far from the query is worth less than none.
        fit = self.fit + self.fit_later * ((seen.answers + seen.others) > 0)  # (B,)
        weight = fit.unsqueeze(-1) * (1.0 - (1.0 - self.fit_of_stage_roles) * staged)  # (B, K)
        wanted = self.stage[seen.answers] + self.stage_covered * seen.covered  # (B, S)
        roles = (
            weight * seen.fit
            + self.follow * seen.follow
            + self.repeat * seen.repeats
            + self.removed * seen.removed
            + self.resemblance * seen.resemblance
            + wanted @ stages.T
        )
        delete = self.delete + self.delete_silent * seen.newest_silent
        leave = (
            self.exit[seen.answers]
            + self.exit_others * seen.others
            + seen.covered @ self.exit_covered
            + self.exit_silent * seen.newest_silent
            + self.exit_agreement * seen.agreement
            + self.exit_support * seen.support
        )
        return torch.cat([roles, delete.unsqueeze(-1), leave.unsqueeze(-1)], dim=-1)


class EdgePrior(nn.Module):
    """The prior's logit of every edge from an existing agent to the new one."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = _scalar(0.8)
        self.alike = _scalar(-4.0)
        self.reader = nn.Parameter(torch.tensor([-1.0, 5.0, 5.0]))
        self.source = nn.Parameter(torch.tensor([3.0, 0.0, 0.0]))
        self.newest = _scalar(0.3)

    def forward(
        self, batch: StateBatch, likeness: Tensor, stages: Tensor, chosen: Tensor
    ) -> Tensor:
        """`chosen` (B,) is the new agent's role. → (B, N), meaningless where padded."""
        alike = likeness[batch.roles, chosen.unsqueeze(1)]  # (B, N)
        is_newest = _latest(batch, batch.present.sum(dim=1))[:, 0]
        return (
            self.bias
            + self.alike * alike
            + (stages[chosen] @ self.reader).unsqueeze(-1)
            + stages[batch.roles] @ self.source
            + self.newest * is_newest
        )


class FeedbackPrior(nn.Module):
    """The prior's logit of every edge from the new agent back to an existing one."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = _scalar(-3.0)
        self.checker = _scalar(4.0)
        self.planner = _scalar(-4.0)
        self.newest = _scalar(1.0)
        self.revised = _scalar(-4.0)

    def forward(self, batch: StateBatch, stages: Tensor, chosen: Tensor) -> Tensor:
        """`chosen` (B,) is the new agent's role. → (B, N), meaningless where padded."""
        is_newest = _latest(batch, batch.present.sum(dim=1))[:, 0]
        return (
            self.bias
            + self.checker * stages[chosen, CHECK].unsqueeze(-1)
            + self.planner * stages[batch.roles, PLAN]
            + self.newest * is_newest
            + self.revised * (batch.revised > 0)
        )


def _scalar(value: float) -> nn.Parameter:
    return nn.Parameter(torch.tensor(value))
