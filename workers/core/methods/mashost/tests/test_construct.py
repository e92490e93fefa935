"""The decision process: masks, transitions, probabilities, determinism, numbers by hand."""

import dataclasses
import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.methods.mashost.config import Jpss, MasHostConfig
from workers.core.methods.mashost.construct import Constructor, Decision, edge_probabilities
from workers.core.methods.mashost.masks import allowed_actions
from workers.core.methods.mashost.policy import MasHostPolicy, initial_policy
from workers.core.methods.mashost.state import (
    AgentState,
    ConstructionState,
    TextNumbers,
    collate,
    distinct,
)
from workers.core.methods.mashost.tests.support import (
    SMALL,
    pool_of,
    shaken_policy,
    state_of,
    unit,
    with_newest,
)

ROLES = 5


def constructor(policy: MasHostPolicy | None = None, **options: Any) -> Constructor:
    policy = policy or shaken_policy()
    return Constructor(policy, pool_of(policy, unit(ROLES, 12, seed=5)), MasHostConfig(**options))


def construct(
    built: Constructor, *, seed: int, silent: bool = False
) -> tuple[list[Decision], ConstructionState]:
    """A whole construction whose agents answer with fixed vectors."""
    generator = torch.Generator().manual_seed(seed)
    state = ConstructionState(query=unit(12, seed=2))
    decisions: list[Decision] = []
    ran = 0
    while not decisions or decisions[-1].kind != "exit":
        decision = built.decide(state, generator)
        decisions.append(decision)
        if decision.kind == "delete":
            state = state.deleted()
        elif decision.edges is not None:
            ran += 1
            message = unit(12, seed=100 + ran)
            state = state.added(
                AgentState(f"a{ran}", decision.action, decision.edges.reads, message, silent)
            )
    return decisions, state


class TestMasks:
    def allowed(self, agents: int, step: int, **options: Any) -> tuple[bool, bool, bool]:
        """Whether roles, DELETE and EXIT are allowed."""
        state = state_of(agents, roles=ROLES)
        state = ConstructionState(state.query, state.agents, step=step)
        mask = allowed_actions([state], role_count=ROLES, config=MasHostConfig(**options))[0]
        assert len(set(mask[:ROLES].tolist())) == 1
        return bool(mask[0]), bool(mask[ROLES]), bool(mask[ROLES + 1])

    def test_a_graph_can_grow_shrink_or_end(self) -> None:
        assert self.allowed(2, 3) == (True, True, True)

    def test_an_empty_one_can_only_grow_a_full_one_cannot_and_the_last_step_ends(self) -> None:
        assert self.allowed(0, 1) == (True, False, False)
        assert self.allowed(3, 4, max_agents=3) == (False, True, True)
        assert self.allowed(3, 10) == (False, False, True)

    def test_the_last_step_always_finds_a_graph(self) -> None:
        assert self.allowed(1, 9) == (True, False, True)
        assert self.allowed(2, 9) == (True, True, True)
        assert self.allowed(0, 1, max_steps=2) == (True, False, False)


class TestTransitions:
    def test_delete_removes_the_newest_agent_and_every_edge_that_touches_it(self) -> None:
        state = state_of(4, roles=ROLES)
        smaller = state.deleted()
        assert [agent.agent_id for agent in smaller.agents] == ["a1", "a2", "a3"]
        assert smaller.agents == state.agents[:3]
        assert smaller.removed == (state.agents[3].role_index,)
        assert smaller.step == state.step + 1
        batch = collate([smaller], role_count=ROLES)
        assert batch.present.sum() == 3
        assert batch.reads.sum() == sum(len(agent.reads) for agent in state.agents[:3])

    def test_a_batch_too_narrow_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="4 agents"):
            collate([state_of(4, roles=ROLES)], role_count=ROLES, width=3)


def fields_of(kind: type[Any], *but: str) -> list[str]:
    return [field.name for field in dataclasses.fields(kind) if field.name not in but]


def other(value: Any) -> Any:
    """A value of the same kind that differs, of any field that a state has or may get."""
    if isinstance(value, torch.Tensor):
        return torch.cat([value[:-1], value[-1:] + 1e-6])
    if isinstance(value, bool):
        return not value
    if isinstance(value, tuple):
        return (*value, 0)
    return value + type(value)(1)


class TestDistinct:
    """A field that a state gets and `content_of` forgets makes states one that differ."""

    STATE = state_of(2, roles=ROLES)

    def places(self, *states: ConstructionState) -> list[int]:
        """Where each stands among those that are kept."""
        kept, where = distinct(states)
        places: list[int] = where.tolist()
        assert all(states[places.index(place)] is state for place, state in enumerate(kept))
        return places

    @pytest.mark.parametrize("field", fields_of(ConstructionState, "agents"))
    def test_whatever_differs_makes_another_state(self, field: str) -> None:
        changed = {field: other(getattr(self.STATE, field))}
        different = dataclasses.replace(self.STATE, **changed)
        assert self.places(self.STATE, different, self.STATE, different) == [0, 1, 0, 1]

    @pytest.mark.parametrize("field", fields_of(AgentState, "agent_id", "before"))
    def test_whatever_differs_of_an_agent_makes_another_state(self, field: str) -> None:
        different = with_newest(self.STATE, **{field: other(getattr(self.STATE.agents[-1], field))})
        assert self.places(self.STATE, different, self.STATE, different) == [0, 1, 0, 1]

    def test_agents_fewer_or_in_another_order_make_another_state(self) -> None:
        agents = self.STATE.agents
        others = [dataclasses.replace(self.STATE, agents=a) for a in (agents[:1], agents[::-1], ())]
        assert self.places(self.STATE, *others) == [0, 1, 2, 3]

    def test_what_an_agent_is_called_makes_no_other_state(self) -> None:
        assert self.places(self.STATE, with_newest(self.STATE, agent_id="a7")) == [0, 0]

    def test_the_same_texts_embedded_twice_are_one_state(self) -> None:
        embedded_again = dataclasses.replace(
            with_newest(self.STATE, message=self.STATE.agents[-1].message.clone()),
            query=self.STATE.query.clone(),
        )
        assert self.places(self.STATE, embedded_again) == [0, 0]

    def test_a_text_has_a_number_of_its_own_though_its_tensor_is_gone(self) -> None:
        """Whose place in memory, and with it the id, the next one may get."""
        numbers = TextNumbers()
        assert [numbers(torch.tensor([float(text)])) for text in range(50)] == list(range(50))
        assert [numbers(torch.tensor([float(text)])) for text in (7, 50, 7)] == [7, 50, 7]


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**31 - 1),
    config=st.builds(
        MasHostConfig,
        greedy=st.booleans(),
        edge_mode=st.sampled_from(["threshold", "sample"]),
        jpss=st.sampled_from(["joint", "relative", "off"]),
        max_steps=st.integers(2, 12),
        max_agents=st.integers(1, 6),
    ),
    silent=st.booleans(),
)
def test_every_construction_is_lawful(seed: int, config: MasHostConfig, silent: bool) -> None:
    built = constructor(shaken_policy(seed=seed % 7), **config.model_dump())
    decisions, state = construct(built, seed=seed, silent=silent)
    assert len(decisions) <= config.max_steps
    assert 1 <= len(state.agents) <= config.max_agents
    assert all(read < position for position, a in enumerate(state.agents) for read in a.reads)
    for decision in decisions:
        assert len(decision.probabilities) == ROLES + 2
        assert math.fsum(decision.probabilities) == pytest.approx(1.0, abs=1e-6)
        assert decision.allowed[decision.action]
        masked = [
            p for p, ok in zip(decision.probabilities, decision.allowed, strict=True) if not ok
        ]
        assert masked == [0.0] * len(masked)
        assert decision.log_probability == pytest.approx(
            math.log(decision.probabilities[decision.action])
        )
        assert (decision.edges is not None) == (decision.kind == "add")


def test_the_same_seed_builds_the_same_graph_and_another_seed_another() -> None:
    built = constructor(greedy=False, edge_mode="sample")
    assert construct(built, seed=1)[0] == construct(built, seed=1)[0]
    actions = {tuple(d.action for d in construct(built, seed=seed)[0]) for seed in range(12)}
    assert len(actions) > 3


def test_greedy_takes_the_most_probable_action_whatever_the_seed() -> None:
    built = constructor()
    decisions, _ = construct(built, seed=1)
    assert decisions == construct(built, seed=2)[0]
    for decision in decisions:
        assert decision.probabilities[decision.action] == max(decision.probabilities)


def test_nobody_reads_a_silent_agent() -> None:
    policy = initial_policy(seed=0, config=SMALL)
    with torch.no_grad():
        policy.node_prior.exit.fill_(-100.0)
        policy.node_prior.delete.fill_(-100.0)
    built = constructor(policy, edge_threshold=0.001)
    state = state_of(3, roles=ROLES)
    edges = built.decide(state, torch.Generator().manual_seed(0)).edges
    assert edges is not None
    assert [agent.silent for agent in state.agents] == [False, True, False]
    assert edges.probabilities[1] == 0.0
    assert edges.chosen == (True, False, True)


def test_the_three_readings_of_equation_3_by_hand() -> None:
    p, best = torch.tensor(0.2), torch.tensor(0.4)
    logits = torch.tensor([0.0, math.log(3.0)])
    expected: dict[Jpss, list[float]] = {
        "joint": [0.1, 0.15],
        "relative": [0.25, 0.375],
        "off": [0.5, 0.75],
    }
    for jpss, values in expected.items():
        got = edge_probabilities(p, best, logits, jpss=jpss)
        assert got.tolist() == pytest.approx(values)
