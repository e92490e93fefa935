"""Updates: what is rewarded becomes likelier, and what baselines do."""

from typing import Any

import pytest
import torch

from workers.core.events import Assessment
from workers.core.methods.evomas.adapter import (
    Choosing,
    Sampled,
    States,
    initial_adapter,
    sample,
)
from workers.core.methods.evomas.config import AdapterConfig
from workers.core.methods.evomas.training.config import EvoMasTrainingConfig
from workers.core.methods.evomas.training.learner import Learner, Trajectory
from workers.core.methods.evomas.training.rollouts import stage_reward
from workers.core.rl.subsets import members

CHOOSING = Choosing(temperature=0.1, mass=0.5, layers=1)
STATES = States(torch.eye(8), torch.tensor([[0, 1], [2, 3]]))
AGENTS = torch.eye(8)[4:]


def learner(**config: Any) -> Learner:
    settings = {"steps": 200, "learning_rate": 0.02, "entropy_bonus": 0.0, **config}
    adapter = initial_adapter(0, AdapterConfig(dimension=8, width=4), AGENTS, CHOOSING)
    return Learner(EvoMasTrainingConfig(**settings), adapter, AGENTS, CHOOSING)


def drawn(
    learning: Learner, seed: int, *, utility: float | None = None, earned: float = 0.0
) -> list[list[Trajectory]]:
    """Two tasks, four rollouts each. In the first state agent 0 is right, in the second agent 1,
    and each agent beside it lowers the utility."""
    uniforms = torch.rand(8, 1, 4, generator=torch.Generator().manual_seed(seed))
    states = States(STATES.rows, STATES.places.repeat_interleave(4, dim=0))
    found = sample(learning.adapter, AGENTS, states, CHOOSING, uniforms)
    picked = members(found.orders[:, 0]).float()

    def trajectory(place: int) -> Trajectory:
        own = Sampled(
            found.log_probabilities[place : place + 1],
            found.orders[place : place + 1],
            found.present[place : place + 1],
        )
        worth = float(picked[place, place // 4] / picked[place].sum())
        return Trajectory(
            (States(states.rows, states.places[place : place + 1]),),
            (own,),
            (earned,),
            ("1 stages, 1 subtasks",),
            worth if utility is None else utility,
        )

    return [[trajectory(place) for place in range(start, start + 4)] for start in (0, 4)]


@pytest.mark.parametrize("baseline", ["none", "moving", "group", "progress"])
def test_each_state_learns_its_own_agent(baseline: str) -> None:
    learning = learner(baseline=baseline)
    for step in range(150):
        learning.update(drawn(learning, step))
    found = sample(learning.adapter, AGENTS, STATES, CHOOSING).log_probabilities.exp()[:, 0]
    assert found.argmax(dim=1).tolist() == [0, 1]
    assert float(found.amax(dim=1).min()) > 0.7


def test_equal_rewards_of_a_group_teach_nothing() -> None:
    learning = learner(baseline="group")
    before = {name: tensor.clone() for name, tensor in learning.adapter.state_dict().items()}
    told = learning.update(drawn(learning, 0, utility=1.0))
    assert (told["loss"], told["gradient_norm"]) == (0.0, 0.0)
    after = learning.adapter.state_dict()
    assert all(torch.equal(before[name], tensor) for name, tensor in after.items())


def test_a_failed_task_teaches_only_with_a_process_reward() -> None:
    def moved(weight: float) -> float:
        learning = learner(baseline="none", process_reward=weight)
        return learning.update(drawn(learning, 0, utility=0.0, earned=0.8))["gradient_norm"]

    assert moved(0.0) == 0.0
    assert moved(0.5) > 0.0


def test_the_moving_baseline_follows_the_returns() -> None:
    learning = learner(baseline="moving", baseline_kept=0.5)
    groups = drawn(learning, 0, utility=1.0)
    assert learning.update(groups)["baseline"] == 0.0
    assert learning.update(groups)["baseline"] == 0.5


@pytest.mark.parametrize(("trace", "advantages"), [(0.0, [0.25, 0.5]), (1.0, [0.75, 0.5])])
def test_a_stage_is_judged_by_progress_or_by_the_result(
    trace: float, advantages: list[float]
) -> None:
    """With V(start) = 1/4 and V(half) = 1/2: after a right task V(half) − V(start) or
    U − V(start), then U − V(half)."""
    learning = learner(baseline="progress", baseline_kept=0.0, trace=trace)
    half = drawn(learning, 0)[0]

    def course(utility: float, *progress: str) -> Trajectory:
        (state,), (row,) = half[0].states, half[0].sampled
        count = len(progress)
        return Trajectory((state,) * count, (row,) * count, (0.0,) * count, progress, utility)

    group = [
        course(1.0, "start", "half"),
        course(0.0, "start", "half"),
        course(0.0, "start"),
        course(0.0, "start"),
    ]
    present = torch.tensor([[True, True], [True, True], [True, False], [True, False]])
    found, _ = learning._returns([group], group, present)
    assert found[0].tolist() == pytest.approx(advantages)
    assert found[2:, 1].tolist() == [0.0, 0.0]


def test_without_a_stage_there_is_nothing_to_learn() -> None:
    assert learner().update([[], [Trajectory((), (), (), (), 1.0)]]) == {}


@pytest.mark.parametrize(("verdict", "earned"), [("success", 0.7), ("refine", 0.0), ("fail", 0.0)])
def test_a_stage_earns_the_confidence_of_a_success(verdict: Any, earned: float) -> None:
    assert stage_reward(Assessment(verdict=verdict, confidence=0.7)) == earned
    assert stage_reward(None) == 0.0
