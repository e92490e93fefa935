"""Feedback edges: who is sent back to, what the policy sees of it, and every directed graph."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.construct import Constructor, Decision
from workers.core.methods.mashost.encoder import BOTH, relations
from workers.core.methods.mashost.policy import (
    EmbeddedPool,
    MasHostPolicy,
    PoolTensors,
    initial_policy,
    with_feedback,
)
from workers.core.methods.mashost.state import AgentState, ConstructionState, collate
from workers.core.methods.mashost.steps import Steps, draw, likelihood
from workers.core.methods.mashost.tests.support import (
    SMALL,
    pool_of,
    shaken_policy,
    state_of,
    uniforms_for,
    unit,
)
from workers.core.methods.mashost.weights import PolicyCache, load_policy, save_policy
from workers.core.testing.checkpoints import trained_info

ROLES = 5
CONFIG = MasHostConfig(feedback_edges=True, greedy=False, edge_mode="sample")
BACK = SMALL.model_copy(update={"feedback": True})


def shaken(seed: int = 0) -> MasHostPolicy:
    """A policy that decides edges back, none of whose learned terms is zero."""
    policy = shaken_policy(BACK, seed=seed)
    generator = torch.Generator().manual_seed(seed + 1)
    assert policy.feedback_prior is not None
    assert policy.feedback_score is not None
    assert policy.encoder.both is not None
    assert policy.encoder.revised is not None
    with torch.no_grad():
        for learned in (
            policy.feedback_score.weight,
            policy.feedback_score.bias,
            policy.encoder.both,
            policy.encoder.revised,
        ):
            learned.normal_(0.0, 0.3, generator=generator)
        policy.feedback_prior.bias.zero_()
        policy.feedback_prior.planner.zero_()
    return policy


def with_gradients(policy: MasHostPolicy) -> PoolTensors:
    anchors = unit(len(policy.config.anchors), 12, seed=99)
    return policy.pool_tensors(EmbeddedPool(unit(ROLES, 12, seed=3), anchors))


def revised_state(agents: int = 3) -> ConstructionState:
    """The newest agent reads the first one, and has sent back to it."""
    state = state_of(agents - 1, roles=ROLES)
    newest = AgentState(f"a{agents}", 1, (0,), unit(12, seed=70))
    state = state.added(newest)
    first = replace(state.agents[0], message=unit(12, seed=71), revisions=("a1-2",))
    return state.revised(0, first)


class TestState:
    def test_a_revision_stands_for_the_message_before_it(self) -> None:
        state = revised_state()
        assert [agent.said for agent in state.agents] == ["a1-2", "a2", "a3"]
        assert state.agents[-1].sends == (0,)
        batch = collate([state], role_count=ROLES)
        assert batch.revised[0].tolist() == [1, 0, 0]
        assert batch.reads[0, 0, 2]
        assert batch.reads[0, 2, 0]
        assert torch.equal(batch.texts[batch.messages[0, 0]], unit(12, seed=71))

    def test_delete_takes_the_revision_back_with_the_agent_that_asked_for_it(self) -> None:
        before = state_of(2, roles=ROLES).agents[0]
        deleted = revised_state().deleted()
        assert [agent.said for agent in deleted.agents] == ["a1", "a2"]
        assert torch.equal(deleted.agents[0].message, before.message)
        assert (deleted.agents[0].before, deleted.agents[0].revisions) == (None, ())
        assert not collate([deleted], role_count=ROLES).revised.any()

    def test_delete_leaves_the_revision_that_another_agent_asked_for(self) -> None:
        state = revised_state().added(AgentState("a4", 2, (), unit(12, seed=72)))
        assert state.deleted().agents[0].revisions == ("a1-2",)

    def test_agents_that_read_each_other_are_related_in_a_way_of_their_own(self) -> None:
        batch = collate([revised_state()], role_count=ROLES)
        related = relations(batch.reads, feedback=True)[0]
        assert related[1, 3] == related[3, 1] == BOTH

    def test_the_policy_sees_both_and_how_often_somebody_revised(self) -> None:
        policy = shaken()
        pool = with_gradients(policy)
        state = revised_state()
        once_more = replace(state.agents[0], revisions=("a1-2", "a1-3"))
        one_way = (*state.agents[:2], replace(state.agents[2], reads=()))
        seen = [
            state,
            replace(state, agents=(once_more, *state.agents[1:])),
            replace(state, agents=one_way),
        ]
        batch = collate(seen, role_count=ROLES)
        logits = policy.node_logits(policy.encode(batch, pool), pool)
        for one, other in itertools.combinations(logits, 2):
            assert (one - other).abs().max() > 1e-4


class TestDecision:
    def decide(self, state: ConstructionState, seed: int) -> Decision:
        policy = shaken()
        config = CONFIG.model_copy(update={"jpss": "off"})
        constructor = Constructor(policy, pool_of(policy, unit(ROLES, 12, seed=3)), config)
        return constructor.decide(state, torch.Generator().manual_seed(seed))

    def test_each_agent_that_spoke_may_be_read_and_sent_back_to(self) -> None:
        state = state_of(3, roles=ROLES)  # its second agent is silent
        decisions = [self.decide(state, seed) for seed in range(100)]
        edges = [decision.edges for decision in decisions if decision.edges]
        assert edges
        for each in edges:
            assert len(each.back_probabilities) == len(each.sent_back) == 3
            assert each.back_probabilities[1] == 0.0
            assert not each.sent_back[1]
        assert {each.sends for each in edges} >= {(), (0,), (2,)}

    def test_log_probability_is_that_of_both_kinds_of_edges(self) -> None:
        state = state_of(3, roles=ROLES)
        decision = next(d for seed in range(9) if (d := self.decide(state, seed)).edges)
        edges = decision.edges
        assert edges is not None
        p = torch.tensor([*edges.probabilities, *edges.back_probabilities], dtype=torch.float64)
        kept = torch.tensor([*edges.chosen, *edges.sent_back])
        spoke = torch.tensor([True, False, True] * 2)
        each = torch.where(kept, p.log(), (1 - p).log())[spoke]
        assert edges.log_probability == pytest.approx(float(each.sum()))

    def test_without_the_option_nothing_changes(self) -> None:
        """The same weights, with and without what decides edges back, decide the same."""
        plain = shaken_policy()
        config = CONFIG.model_copy(update={"feedback_edges": False})
        for state in (state_of(0, roles=ROLES), state_of(3, roles=ROLES)):
            made = []
            for policy in (plain, with_feedback(plain)):
                pool = pool_of(policy, unit(ROLES, 12, seed=3))
                generator = torch.Generator().manual_seed(5)
                made.append(Constructor(policy, pool, config).decide(state, generator))
            assert made[0] == made[1]
            assert made[0].edges is None or made[0].edges.sends == ()

    def test_a_policy_without_them_says_so(self) -> None:
        policy = shaken_policy()
        pool = with_gradients(policy)
        encoded = policy.encode(collate([state_of(2, roles=ROLES)], role_count=ROLES), pool)
        with pytest.raises(ValueError, match="with_feedback"):
            policy.edge_logits(encoded, pool, torch.tensor([1]), feedback=True)


class TestSteps:
    def test_what_is_decided_alone_is_drawn_in_a_batch_with_the_same_log_probability(self) -> None:
        policy = shaken()
        pool = pool_of(policy, unit(ROLES, 12, seed=3))
        states = [state_of(3, roles=ROLES), state_of(1, roles=ROLES, seed=4), revised_state()]
        batch = collate(states, role_count=ROLES)
        constructor = Constructor(policy, pool, CONFIG)
        for row, state in enumerate(states):
            decision = next(
                d
                for seed in range(50)
                if (d := constructor.decide(state, torch.Generator().manual_seed(seed))).edges
            )
            edges, agents = decision.edges, len(state.agents)
            assert edges is not None
            numbers = torch.full((7,), 0.5, dtype=torch.float64)
            numbers[:4] = uniforms_for(decision, width=4)
            numbers[4 : 4 + agents] = 1 - torch.tensor(edges.sent_back).double() - 1e-9
            drawn = draw(
                policy,
                pool,
                batch,
                torch.tensor([decision.allowed]).expand(len(states), -1),
                numbers.clamp(min=0).unsqueeze(0),
                where=torch.tensor([row]),
                jpss=CONFIG.jpss,
                feedback=True,
            )
            assert drawn.actions.tolist() == [decision.action]
            assert drawn.chosen[0, :agents].tolist() == list(edges.chosen)
            assert drawn.chosen[0, 3 : 3 + agents].tolist() == list(edges.sent_back)
            joint = decision.log_probability + edges.log_probability
            assert float(drawn.log_probability[0]) == pytest.approx(joint, abs=1e-5)

    def test_the_log_probability_by_hand(self) -> None:
        """log π(a) = log p + Σ_j log σ(read_j) + Σ_j log σ(back_j), over who spoke (`off`)."""
        policy = shaken()
        pool = with_gradients(policy)
        state = state_of(3, roles=ROLES)  # the second agent is silent
        batch = collate([state], role_count=ROLES)
        chosen = torch.tensor([[True, False, False, False, False, True]])
        steps = Steps(
            states=batch,
            where=torch.tensor([0]),
            allowed=torch.ones(1, ROLES + 2, dtype=torch.bool),
            actions=torch.tensor([2]),
            chosen=chosen,
        )
        found = likelihood(policy, pool, steps, jpss="off", feedback=True)
        encoded = policy.encode(batch, pool)
        node = torch.log_softmax(policy.node_logits(encoded, pool)[0], dim=0)[2]
        logits = policy.edge_logits(encoded, pool, torch.tensor([2]), feedback=True)[0]
        wanted = (
            node
            + functional.logsigmoid(logits[0])  # reads the first
            + functional.logsigmoid(-logits[2])  # not the third
            + functional.logsigmoid(-logits[3])  # sends nothing back to the first
            + functional.logsigmoid(logits[5])  # but to the third
        )
        told = found.log_probability.detach()[0]
        assert float(told) == pytest.approx(float(wanted.detach()), abs=1e-5)
        (-found.log_probability.sum()).backward()
        assert policy.feedback_score is not None
        gradient = policy.feedback_score.bias.grad
        assert gradient is not None
        # d log σ(x) / dx of the bias that both edges back share: −σ(x_0) + 1 − σ(x_2), negated.
        p = torch.sigmoid(logits.detach())
        assert float(gradient) == pytest.approx(float(p[3] - (1 - p[5])), abs=1e-5)

    def test_padding_decides_no_edge(self) -> None:
        policy = shaken()
        pool = with_gradients(policy)
        small, large = state_of(1, roles=ROLES), state_of(3, roles=ROLES, seed=8)

        def found(states: list[ConstructionState], chosen: list[bool]) -> float:
            steps = Steps(
                states=collate(states, role_count=ROLES),
                where=torch.tensor([0]),
                allowed=torch.ones(len(states), ROLES + 2, dtype=torch.bool),
                actions=torch.tensor([1]),
                chosen=torch.tensor([chosen]),
            )
            told = likelihood(policy, pool, steps, jpss="relative", feedback=True)
            return float(told.log_probability[0])

        alone = found([small], [True, True])
        padded = found([small, large], [True, False, False, True, False, False])
        assert alone == pytest.approx(padded, abs=1e-5)


@settings(max_examples=60)
@given(
    agents=st.integers(1, 4),
    edges=st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12),
)
def test_every_directed_graph_can_be_built(agents: int, edges: set[tuple[int, int]]) -> None:
    """§5: for each set of edges there are decisions, agent by agent, that give it."""
    wanted = {(i, j) for i, j in edges if i != j and max(i, j) < agents}  # j reads i
    state = ConstructionState(query=unit(12, seed=0))
    for new in range(agents):
        reads = tuple(i for i in range(new) if (i, new) in wanted)
        state = state.added(AgentState(f"a{new + 1}", 0, reads, unit(12, seed=new)))
        for target in (j for j in range(new) if (new, j) in wanted):
            agent = state.agents[target]
            turn = f"{agent.agent_id}-{len(agent.revisions) + 2}"
            revised = replace(agent, revisions=(*agent.revisions, turn))
            state = state.revised(target, revised)
    batch = collate([state], role_count=1)
    built = {(int(source), int(reader)) for reader, source in batch.reads[0].nonzero()}
    assert built == wanted


class TestCheckpoints:
    def test_one_from_before_decides_edges_back_by_the_prior(self, tmp_path: Path) -> None:
        save_policy(tmp_path / "old", shaken_policy(), trained_info("mashost"))
        cache = PolicyCache()
        plain = cache.policy(tmp_path / "old").policy
        back = cache.policy(tmp_path / "old", feedback=True).policy
        assert not plain.config.feedback
        assert back.config.feedback
        for name, tensor in plain.state_dict().items():
            assert torch.equal(tensor, back.state_dict()[name])
        assert back.feedback_score is not None
        assert not back.feedback_score.weight.any()
        assert cache.policy(tmp_path / "old").policy is plain

    def test_one_with_them_is_read_as_it_was_written(self, tmp_path: Path) -> None:
        policy = shaken()
        save_policy(tmp_path / "new", policy, trained_info("mashost"))
        loaded, info = load_policy(tmp_path / "new")
        assert info.config["feedback"] is True
        assert loaded.config == policy.config
        for name, tensor in policy.state_dict().items():
            assert torch.equal(tensor, loaded.state_dict()[name])
        assert with_feedback(loaded) is loaded

    def test_one_without_says_nothing_new(self, tmp_path: Path) -> None:
        """A studio from before reads it, too."""
        save_policy(tmp_path / "plain", shaken_policy(), trained_info("mashost"))
        _, info = load_policy(tmp_path / "plain")
        assert "feedback" not in info.config

    def test_the_same_seed_gives_all_other_weights_alike(self) -> None:
        plain = initial_policy(seed=3, config=SMALL).state_dict()
        back = initial_policy(seed=3, config=BACK).state_dict()
        assert all(torch.equal(tensor, back[name]) for name, tensor in plain.items())
        assert len(back) > len(plain)
