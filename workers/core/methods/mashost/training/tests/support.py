"""Systems made by hand, and a learner small enough to check with a pencil."""

from collections.abc import Sequence
from typing import Any

import torch

from workers.core.methods.mashost.policy import EmbeddedPool, MasHostPolicy
from workers.core.methods.mashost.state import AgentState, ConstructionState
from workers.core.methods.mashost.steps import Steps
from workers.core.methods.mashost.tests.support import SMALL, shaken_policy, unit
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.learner import Learner
from workers.core.methods.mashost.training.systems import Sampled
from workers.core.methods.mashost.training.trajectory import Action, Trajectory, tensors_of
from workers.core.specs import GraphSpec

ROLES = 5
DIMENSION = SMALL.embedding_dimension
ADD, DELETE, EXIT = 0, ROLES, ROLES + 1


def config_of(**changes: Any) -> MasHostTrainingConfig:
    values: dict[str, Any] = {
        "critic_hidden": 16,
        "rounds": 1,
        "minibatches": 1,
        "max_agents": 4,
        "max_steps": 6,
        "entropy_start": None,
        "entropy_bonus": 0.0,
    }
    return MasHostTrainingConfig.model_validate(values | changes)


def learner_of(config: MasHostTrainingConfig, *, policy: MasHostPolicy | None = None) -> Learner:
    return Learner(
        config=config,
        pool=EmbeddedPool(
            unit(ROLES, DIMENSION, seed=1), unit(len(SMALL.anchors), DIMENSION, seed=2)
        ),
        policy=policy or shaken_policy(),
        seed=0,
        total_steps=10,
    )


def system_of(
    *roles: int, correct: tuple[bool, ...], tokens: float = 100.0, query: int = 0
) -> Trajectory:
    """Adds the roles one after the other, each reading all before it, then exits.

    `correct` has an entry per action, EXIT included; every agent costs `tokens`.
    """
    state = ConstructionState(query=unit(DIMENSION, seed=100 + query))
    actions = []
    for number, role in enumerate(roles):
        reads = tuple(range(number))
        spent = tokens * (number + 1)
        actions.append(Action(state, role, reads, correct[number], spent))
        message = unit(DIMENSION, seed=200 + 10 * query + number)
        state = state.added(AgentState(f"a{number + 1}", role, reads, message))
    total = tokens * len(roles)
    actions.append(Action(state, EXIT, (), correct[-1], total))
    return Trajectory(tuple(actions), correct[-1], total)


def sampled(trajectory: Trajectory | None = None, **changes: Any) -> Sampled:
    """A system of one agent that nothing went wrong with."""
    values: dict[str, Any] = {
        "trajectory": trajectory or system_of(0, correct=(True, True)),
        "answer": "42",
        "graph": GraphSpec(),
        "agents": 1,
        "refused": 0,
        "late": False,
        "failures": (),
        "events": (),
    }
    return Sampled(**(values | changes))


def four_systems(query: int = 0) -> list[Trajectory]:
    """A right one, a wrong one, one that was repaired and one that broke."""
    return [
        system_of(0, correct=(True, True), query=query),
        system_of(1, correct=(False, False), query=query),
        system_of(1, 2, correct=(False, True, True), query=query),
        system_of(0, 3, correct=(True, False, False), query=query),
    ]


def steps_of(learner: Learner, systems: Sequence[Trajectory]) -> Steps:
    """All their actions."""
    actions = [action for system in systems for action in system.actions]
    return tensors_of(actions, role_count=ROLES, config=learner.config.run_config())


def weights(learner: Learner) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in learner.policy.state_dict().items()}


def assert_explorers(groups: Sequence[Sequence[Trajectory]], count: int) -> None:
    """The last so many of each group explored, and followed one of the others up to there."""
    for group in groups:
        followed, explorers = group[: len(group) - count], group[len(group) - count :]
        assert all(system.explored is None for system in followed)
        for system in explorers:
            assert system.explored is not None
            assert system.draws == 1
            begun = _done(system.actions[: system.explored])
            assert any(
                _done(other.actions[: system.explored]) == begun
                and len(other.actions) > system.explored
                for other in followed
            )


def _done(actions: Sequence[Action]) -> list[tuple[int, tuple[int, ...]]]:
    return [(action.action, action.reads) for action in actions]
