"""What a step tells of its sample, by hand: four systems of two queries, drawn six times."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

from workers.core.errors import Failure
from workers.core.intervals import Interval, share_interval, wilson
from workers.core.llm.meter import Meter
from workers.core.methods.mashost.state import AgentState, ConstructionState
from workers.core.methods.mashost.training.credit import Credit
from workers.core.methods.mashost.training.held_out import held_out_metrics
from workers.core.methods.mashost.training.metrics import graph_depth, step_metrics
from workers.core.methods.mashost.training.rollouts import Sample
from workers.core.methods.mashost.training.systems import Sampled
from workers.core.methods.mashost.training.tests.support import sampled
from workers.core.methods.mashost.training.trajectory import (
    Action,
    Trajectory,
    exploring_at,
    layout_of,
    shares_of,
)
from workers.core.methods.tests.support import role
from workers.core.specs import AgentNode, Edge, GraphSpec, PoolSpec

POOL = PoolSpec(
    key="three",
    name="Three",
    roles=(role("planner", "Plans."), role("solver", "Solves."), role("critic", "Checks.")),
)
PLANNER, SOLVER, CRITIC, DELETE, EXIT = range(5)
PADDING = 7.0


def built(
    *taken: tuple[int, tuple[int, ...]],
    correct: bool,
    tokens: float,
    cost: float | None,
    draws: int = 1,
    refused: int = 0,
) -> Sampled:
    """A system of these actions (an agent's role with whom it reads, or DELETE), then EXIT."""
    state, actions, ran = ConstructionState(query=torch.zeros(2)), [], 0
    for action, reads in (*taken, (EXIT, ())):
        actions.append(Action(state, action, reads, correct, tokens))
        if action == DELETE:
            state = state.deleted()
        elif action != EXIT:
            ran += 1
            state = state.added(AgentState(f"a{ran}", action, reads, torch.zeros(2)))
    graph = GraphSpec(
        nodes=tuple(AgentNode(id=a.agent_id, role=POOL.roles[a.role_index]) for a in state.agents),
        edges=tuple(
            Edge(source=state.agents[place].agent_id, target=agent.agent_id)
            for agent in state.agents
            for place in agent.reads
        ),
    )
    trajectory = Trajectory(tuple(actions), correct, tokens, draws)
    return sampled(trajectory, graph=graph, agents=ran, refused=refused, cost=cost)


RIGHT = built((SOLVER, ()), correct=True, tokens=100, cost=0.01, draws=3)
CHECKED = built((SOLVER, ()), (CRITIC, (0,)), correct=False, tokens=300, cost=0.03, refused=1)
DELETED = built((PLANNER, ()), (DELETE, ()), (SOLVER, ()), correct=False, tokens=200, cost=0.02)
LARGE = built((PLANNER, ()), (SOLVER, ()), (CRITIC, (0, 1)), correct=False, tokens=500, cost=0.05)
FIRST, SECOND = (RIGHT, CHECKED), (DELETED, LARGE)
SAMPLE = Sample((4, 2), (FIRST, SECOND), redrawn=2)
# RIGHT counts 1.5 of the two systems of its query and CHECKED 0.5; DELETED and LARGE 1 each.
BOUNDS = share_interval([0.75, 0.0], 4) or Interval(0, 0)
ACTIONS = 2 * 1.5 + 3 * 0.5 + 4 + 4
AGENTS = 1 * 1.5 + 2 * 0.5 + 1 + 3


def credit_of(sample: Sample) -> Credit:
    """Numbers of our own, with others where a shorter system is padded."""
    groups = [[system.trajectory for system in group] for group in sample.groups]
    systems = [system for group in groups for system in group]
    none = PADDING
    return Credit(
        rewards=torch.tensor([0.99, -1.0, -1.0, -1.0]),
        action_rewards=torch.tensor(
            [[1.0, 0.5, none, none], [-0.5, 0, 0, none], [0, -1.0, 1.0, 0], [0.5, 0, 0, 0]]
        ),
        advantages=torch.tensor(
            [[2.0, 0, none, none], [-2.0, -2.0, -2.0, none], [0, 0, 0, 0], [0, 0, 0, 0]]
        ),
        errors=torch.zeros(4, 4),
        targets=None,
        counts=shares_of(groups).flatten(),
        layout=layout_of(systems),
    )


def meter() -> Meter:
    """One request for a quarter of the time, eight answers of which two were kept, three calls of
    unknown usage."""
    times = iter((0.0, 1.0, 2.0, 4.0))
    watched = Meter(full=1, clock=lambda: next(times))
    watched.enter()
    watched.leave()
    watched.answers, watched.cached, watched.unknown_usage = 8, 2, 3
    return watched


def told(sample: Sample = SAMPLE, *, action_term: bool = True) -> dict[str, float]:
    return step_metrics(
        sample, credit_of(sample), pool=POOL, meter=meter(), action_term=action_term
    )


def test_everything_that_is_told_by_hand() -> None:
    assert told() == pytest.approx(
        {
            "reward": (0.99 * 1.5 - 0.5 - 1 - 1) / 4,
            "reward_price": 0.01 * 1.5 / 4,
            "reward_action": (1.5 * 1.5 - 0.5 * 0.5 + 0 + 0.5) / ACTIONS,
            # Their mean is 1.5 · 2 − 0.5 · 6 = 0.
            "advantage_spread": math.sqrt((1.5 * 4 + 0.5 * 12) / ACTIONS),
            # The mean of 1.5 / 2 and 0 / 2, each of a query.
            "accuracy": 1.5 / 4,
            "accuracy/low": BOUNDS.low,
            "accuracy/high": BOUNDS.high,
            "tokens": (1.5 * 100 + 0.5 * 300 + 200 + 500) / 4,
            "agents": AGENTS / 4,
            "depth": (1 * 1.5 + 2 * 0.5 + 1 + 2) / 4,
            "edges": (0.5 + 2) / 4,
            "actions": ACTIONS / 4,
            "share_delete": 1 / ACTIONS,
            "share_exit": 4 / ACTIONS,
            # Of those that ran, the one that was deleted included.
            "share_refused": 0.5 / (AGENTS + 1),
            "zero_variance_groups": 0.5,
            "endpoint_failures": 0,
            "endpoint_utilisation": 0.25,
            "cache_hits": 0.25,
            "unknown_usage": 3,
            "redrawn": 2 / 6,
            "cost": (1.5 * 0.01 + 0.5 * 0.03 + 0.02 + 0.05) / 4,
            "role/critic": (0.5 + 1) / AGENTS,
            "role/planner": 1 / AGENTS,
            "role/solver": (1.5 + 0.5 + 1 + 1) / AGENTS,
        }
    )


def changed(system: Sampled, *, failed: bool = False, **trajectory: Any) -> Sampled:
    """The system with another trajectory; one that the endpoint failed counts nothing."""
    failure = Failure(code="server_error", message="The engine crashed.")
    trajectory |= {"draws": 0} if failed else {}
    other = replace(system, trajectory=replace(system.trajectory, **trajectory))
    return replace(other, failures=(failure,), refused=0, cost=None) if failed else other


def told_of(*groups: Sequence[Sampled]) -> dict[str, float]:
    return told(replace(SAMPLE, groups=tuple(map(tuple, groups))))


def test_the_interval_of_the_accuracy_takes_the_query_as_its_unit() -> None:
    right = [changed(system, correct=True) for system in FIRST]
    values = told_of(right, SECOND)
    assert values["accuracy"] == 0.5
    # All systems of a query are alike, so that there are two answers and not four.
    bounds = wilson(1, 2)
    assert bounds is not None
    assert values["accuracy/low"] == pytest.approx(bounds.low)
    assert values["accuracy/high"] == pytest.approx(bounds.high)


def test_the_reward_is_made_of_the_parts_that_are_told() -> None:
    values = told()
    assert values["reward"] == pytest.approx(2 * values["accuracy"] - 1 - values["reward_price"])
    assert values.keys() - told(action_term=False).keys() == {"reward_action"}


def test_a_query_counts_no_more_for_having_its_systems_drawn_more_often() -> None:
    hundred, once = ([changed(system, draws=n) for system in FIRST] for n in (100, 1))
    assert told_of(hundred, SECOND) == told_of(once, SECOND)


def test_what_explored_tells_nothing_of_what_the_policy_builds() -> None:
    explorer = replace(CHECKED, trajectory=exploring_at(0, CHECKED.trajectory))
    values = told_of([RIGHT, explorer], SECOND)
    assert values["accuracy"] == 2 / 4
    assert values["tokens"] == (2 * 100 + 200 + 500) / 4
    assert values["role/critic"] == pytest.approx(1 / (2 * 1 + 1 + 3))
    assert values["zero_variance_groups"] == 1
    assert values["explored_better"] == 0
    assert "explored_better" not in told()


def test_explorers_that_earn_more_than_what_the_policy_builds_are_told() -> None:
    """Of LARGE and DELETED, which earn alike, one that explored is no better."""
    right = replace(RIGHT, trajectory=exploring_at(1, RIGHT.trajectory))
    large = replace(LARGE, trajectory=exploring_at(1, LARGE.trajectory))
    values = told_of([right, CHECKED], [DELETED, large])
    assert values["explored_better"] == 0.5


def test_a_system_that_the_endpoint_failed_counts_nothing_and_is_told_of() -> None:
    values = told_of([RIGHT, changed(CHECKED, failed=True)], SECOND)
    assert values["accuracy"] == 2 / 4
    assert values["tokens"] == (2 * 100 + 200 + 500) / 4
    assert values["role/critic"] == pytest.approx(1 / (2 * 1 + 1 + 3))
    assert values["endpoint_failures"] == 1 / (1 + 2 + 2 + 3)


def test_a_query_whose_systems_all_failed_counts_nothing() -> None:
    dead = [changed(system, failed=True) for system in SECOND]
    values, alone = told_of(FIRST, dead), told()
    assert values["accuracy"] == 0.75
    assert values["tokens"] == (1.5 * 100 + 0.5 * 300) / 2
    assert values["reward"] == pytest.approx((0.99 * 1.5 - 0.5) / 2)
    assert values["cost"] == pytest.approx((1.5 * 0.01 + 0.5 * 0.03) / 2)
    assert values["role/solver"] == pytest.approx(2 / 2.5)
    assert values.keys() == alone.keys() - {"role/planner"}
    assert values["zero_variance_groups"] == 0.5


def test_a_cost_that_is_not_known_is_not_told_and_one_of_nothing_is() -> None:
    unknown = told_of([replace(RIGHT, cost=None), CHECKED], SECOND)
    assert told().keys() - unknown.keys() == {"cost"}
    free = [[replace(system, cost=0.0) for system in group] for group in SAMPLE.groups]
    assert told_of(*free)["cost"] == 0


def test_systems_without_agents_or_answers_divide_by_nothing() -> None:
    nothing = built(correct=False, tokens=0, cost=None)
    sample = Sample((0,), ((nothing, nothing), (nothing, nothing)))
    one = torch.zeros(4, 1)
    groups = [[system.trajectory for system in group] for group in sample.groups]
    layout = layout_of([system for group in groups for system in group])
    credit = Credit(-torch.ones(4), one, one, one, None, torch.ones(4), layout)
    times = iter((5.0, 5.0))
    watched = Meter(1, clock=lambda: next(times))
    values = step_metrics(sample, credit, pool=POOL, meter=watched, action_term=True)
    assert (values["agents"], values["depth"], values["share_refused"]) == (0, 0, 0)
    assert (values["endpoint_utilisation"], values["redrawn"]) == (0, 0)
    assert "cache_hits" not in values
    assert values["share_exit"] == values["zero_variance_groups"] == 1
    assert not any(name.startswith("role/") for name in values)


def test_depth_is_the_longest_chain_of_reading_not_the_number_of_agents() -> None:
    assert [graph_depth(system.graph) for system in SAMPLE.systems] == [1, 2, 1, 2]
    chain = built((SOLVER, ()), (CRITIC, (0,)), (CRITIC, (1,)), correct=True, tokens=1, cost=None)
    assert graph_depth(chain.graph) == 3


def test_what_the_endpoint_failed_is_no_wrong_answer_of_the_tasks_held_out() -> None:
    """Else the best checkpoint would be one from before an endpoint's bad minute."""
    failed = changed(LARGE, failed=True)
    whole = held_out_metrics([RIGHT, CHECKED], beta=1e-4)
    assert held_out_metrics([RIGHT, CHECKED, failed], beta=1e-4) == whole
    assert whole["held_out_accuracy"] == 0.5
    assert held_out_metrics([RIGHT, CHECKED, LARGE], beta=1e-4) != whole
