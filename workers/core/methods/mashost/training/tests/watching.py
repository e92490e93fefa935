"""What a training samples and learns, seen from outside while it runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from workers.core.methods.mashost.policy import MasHostPolicy
from workers.core.methods.mashost.training import rollouts
from workers.core.methods.mashost.training.credit import Credit
from workers.core.methods.mashost.training.learner import Learner
from workers.core.methods.mashost.training.systems import Sampled, sample_system
from workers.core.methods.mashost.training.trajectory import Group
from workers.core.specs import TaskSpec


def watch_systems(monkeypatch: pytest.MonkeyPatch) -> list[tuple[TaskSpec, Sampled]]:
    """Every system that is sampled from now on, with its task and all its events; also those that
    others are drawn for."""
    seen: list[tuple[TaskSpec, Sampled]] = []

    async def watched(task: TaskSpec, **options: Any) -> Sampled:
        sampled = await sample_system(task, **options | {"keep": True})
        seen.append((task, sampled))
        return sampled

    monkeypatch.setattr(rollouts, "sample_system", watched)
    return seen


@dataclass(frozen=True, slots=True)
class Update:
    """The policy's weights before and after, and those that the learner is told have sampled."""

    before: Tensor
    after: Tensor
    sampled_by: Tensor


def watch_updates(monkeypatch: pytest.MonkeyPatch) -> list[Update]:
    """Every update from now on."""
    seen: list[Update] = []
    update = Learner.update

    def watched(
        self: Learner, groups: Sequence[Group], *, sampled_by: MasHostPolicy
    ) -> tuple[dict[str, float], Credit]:
        before = weights_of(self.policy)
        learned = update(self, groups, sampled_by=sampled_by)
        seen.append(Update(before, weights_of(self.policy), weights_of(sampled_by)))
        return learned

    monkeypatch.setattr(Learner, "update", watched)
    return seen


def weights_of(policy: MasHostPolicy) -> Tensor:
    """All in one row, as they are now."""
    return torch.cat([weight.detach().flatten() for weight in policy.parameters()])
