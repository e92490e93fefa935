"""Invariants of the network: batches, padding, permutation, pools of any size."""

import dataclasses

import pytest
import torch
from torch import Tensor

from workers.core.methods.mashost import encoder
from workers.core.methods.mashost.config import PolicyConfig
from workers.core.methods.mashost.policy import (
    MasHostPolicy,
    PoolTensors,
    initial_policy,
    seen_by,
)
from workers.core.methods.mashost.prior import NodePrior
from workers.core.methods.mashost.state import ConstructionState, collate
from workers.core.methods.mashost.tests.support import (
    SMALL,
    pool_of,
    shaken_policy,
    state_of,
    unit,
    with_newest,
)

ROLES = 7


@pytest.fixture(scope="module")
def policy() -> MasHostPolicy:
    return shaken_policy()


@pytest.fixture(scope="module")
def pool(policy: MasHostPolicy) -> PoolTensors:
    return pool_of(policy, unit(ROLES, 12, seed=5))


def logits(
    policy: MasHostPolicy,
    pool: PoolTensors,
    states: list[ConstructionState],
    *,
    chosen: list[int] | None = None,
    width: int | None = None,
) -> tuple[Tensor, Tensor]:
    batch = collate(states, role_count=pool.size, width=width)
    with torch.inference_mode():
        encoded = policy.encode(batch, pool)
        roles = torch.tensor(chosen or [0] * len(states))
        return policy.node_logits(encoded, pool), policy.edge_logits(encoded, pool, roles)


def test_one_batch_of_eight_is_eight_batches_of_one(
    policy: MasHostPolicy, pool: PoolTensors
) -> None:
    states = [state_of(agents, roles=ROLES, seed=agents) for agents in (0, 3, 1, 9, 4, 2, 9, 5)]
    chosen = [0, 1, 2, 3, 4, 5, 6, 0]
    nodes, edges = logits(policy, pool, states, chosen=chosen)
    for row, state in enumerate(states):
        node, edge = logits(policy, pool, [state], chosen=[chosen[row]])
        agents = len(state.agents)
        torch.testing.assert_close(nodes[row : row + 1], node, atol=2e-5, rtol=1e-5)
        torch.testing.assert_close(edges[row : row + 1, :agents], edge, atol=2e-5, rtol=1e-5)


def test_a_large_batch_encoded_in_parts_is_what_one_part_gives(
    policy: MasHostPolicy, pool: PoolTensors
) -> None:
    rows = encoder.BUCKETS * encoder.BUCKET_ROWS
    states = [state_of(seed * 7 % 10, roles=ROLES, seed=seed) for seed in range(rows)]
    chosen = [seed % ROLES for seed in range(rows)]
    nodes, edges = logits(policy, pool, states, chosen=chosen, width=12)
    half = slice(0, rows // 2)
    fewer_nodes, fewer_edges = logits(policy, pool, states[half], chosen=chosen[half], width=12)
    torch.testing.assert_close(nodes[half], fewer_nodes, atol=2e-5, rtol=1e-5)
    present = collate(states[half], role_count=ROLES, width=12).present
    torch.testing.assert_close(edges[half][present], fewer_edges[present], atol=2e-5, rtol=1e-5)


def test_padding_is_inert_whatever_it_holds(policy: MasHostPolicy, pool: PoolTensors) -> None:
    state = state_of(3, roles=ROLES)
    node, edge = logits(policy, pool, [state])
    batch = collate([state], role_count=ROLES, width=8)
    noisy = dataclasses.replace(
        batch,
        texts=torch.cat([batch.texts, torch.full((1, 12), 1e3)]),
        messages=torch.where(batch.present, batch.messages, len(batch.texts)),
        roles=torch.where(batch.present, batch.roles, 6),
        reads=batch.reads | ~(batch.present[:, :, None] & batch.present[:, None, :]),
    )
    with torch.inference_mode():
        encoded = policy.encode(noisy, pool)
        padded_node = policy.node_logits(encoded, pool)
        padded_edge = policy.edge_logits(encoded, pool, torch.tensor([0]))
    torch.testing.assert_close(padded_node, node, atol=2e-5, rtol=1e-5)
    torch.testing.assert_close(padded_edge[:, :3], edge, atol=2e-5, rtol=1e-5)


def test_permuting_the_pool_permutes_the_logits_and_nothing_else(policy: MasHostPolicy) -> None:
    roles = unit(ROLES, 12, seed=5)
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    place = {int(old): new for new, old in enumerate(order)}
    state = state_of(4, roles=ROLES)
    moved = dataclasses.replace(
        state,
        agents=tuple(
            dataclasses.replace(agent, role_index=place[agent.role_index]) for agent in state.agents
        ),
    )
    node, edge = logits(policy, pool_of(policy, roles), [state], chosen=[2])
    node_moved, edge_moved = logits(
        policy, pool_of(policy, roles[order]), [moved], chosen=[place[2]]
    )
    torch.testing.assert_close(node_moved[:, :ROLES], node[:, order], atol=2e-5, rtol=1e-5)
    torch.testing.assert_close(node_moved[:, ROLES:], node[:, ROLES:], atol=2e-5, rtol=1e-5)
    torch.testing.assert_close(edge_moved, edge, atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize("count", [1, 2, 1_000])
def test_a_pool_of_any_size_needs_no_other_network(policy: MasHostPolicy, count: int) -> None:
    pool = pool_of(policy, unit(count, 12, seed=8))
    node, edge = logits(policy, pool, [state_of(3, roles=count), state_of(0, roles=count)])
    assert node.shape == (2, count + 2)
    assert edge.shape == (2, 3)
    assert node.isfinite().all()


def test_a_role_added_to_the_pool_leaves_the_logits_of_the_others(
    policy: MasHostPolicy,
) -> None:
    """A newcomer that fits the query worse than all others moves no other logit."""
    roles = unit(ROLES, 12, seed=5)
    state = state_of(3, roles=ROLES)
    node, _ = logits(policy, pool_of(policy, roles), [state])
    stranger = -state.query.unsqueeze(0)
    grown, _ = logits(policy, pool_of(policy, torch.cat([roles, stranger])), [state])
    kept = [*range(ROLES), ROLES + 1, ROLES + 2]
    torch.testing.assert_close(grown[:, kept], node, atol=2e-5, rtol=1e-5)


def test_the_state_sees_edges_messages_and_steps(policy: MasHostPolicy, pool: PoolTensors) -> None:
    state = state_of(4, roles=ROLES)
    node, edge = logits(policy, pool, [state])
    unread = tuple(place for place in range(3) if place not in state.agents[-1].reads)
    variants = {
        "edges": with_newest(state, reads=unread),
        "a message": with_newest(state, message=unit(12, seed=1234)),
        "a step": dataclasses.replace(state, step=state.step + 2),
        "a query": dataclasses.replace(state, query=unit(12, seed=4321)),
        "silence": with_newest(state, silent=True),
        "no answer": with_newest(state, answered=False),
    }
    for name, variant in variants.items():
        other_node, other_edge = logits(policy, pool, [variant])
        assert (other_node - node).abs().max() > 1e-4, name
        assert (other_edge - edge).abs().max() > 1e-4, name


def test_agents_who_say_the_same_support_each_other() -> None:
    state = state_of(5, roles=ROLES)
    batch = collate([state, state.deleted().deleted()], role_count=ROLES)
    assert batch.support.tolist() == [[2, 0, 2, 2, 0], [1, 0, 1, 0, 0]]
    assert batch.narrow(3).support.tolist() == [[2, 0, 2], [1, 0, 1]]
    assert batch.take(torch.tensor([1])).support.tolist() == [[1, 0, 1, 0, 0]]


def test_whether_the_newest_answer_was_given_before_is_known_to_exit_alone() -> None:
    policy = initial_policy(seed=0, config=SMALL)
    pool = pool_of(policy, unit(ROLES, 12, seed=5))
    agrees = state_of(3, roles=ROLES)
    alone = with_newest(agrees, agrees=())
    found, before = logits(policy, pool, [agrees, alone])[0]
    assert torch.equal(found, before)
    with torch.no_grad():
        policy.node_prior.exit_support.fill_(3.0)
    found, before = logits(policy, pool, [agrees, alone])[0]
    assert (found - before).tolist() == pytest.approx([0.0] * (ROLES + 1) + [3.0], abs=1e-5)


def test_relations_by_hand() -> None:
    reads = torch.zeros(1, 2, 2, dtype=torch.bool)
    reads[0, 1, 0] = True
    assert encoder.relations(reads)[0].tolist() == [
        [encoder.SAME, encoder.FROM_QUERY, encoder.FROM_QUERY],
        [encoder.TO_QUERY, encoder.SAME, encoder.READ_BY],
        [encoder.TO_QUERY, encoder.READS, encoder.SAME],
    ]
    nobody = encoder.relations(torch.zeros(1, 2, 2, dtype=torch.bool))[0]
    assert nobody[1, 2] == nobody[2, 1] == encoder.UNRELATED


def plain_encoder(policy: MasHostPolicy, state: ConstructionState, roles: Tensor) -> Tensor:
    """The encoder as its equations, one module call after the other: one state → (T, H)."""
    layers, batch = policy.encoder, collate([state], role_count=len(roles))
    agents = len(state.agents)
    query = layers.query(batch.queries[batch.query[0]]) + layers.step(batch.step[0])
    tokens = [query]
    for place, agent in enumerate(state.agents):
        token = layers.role(roles[agent.role_index]) + layers.message(agent.message)
        voice = 0 if agent.silent else 1 + agent.answered
        place_and_voice = layers.position.weight[place] + layers.voice.weight[voice]
        others = len(agent.agrees) + sum(place in other.agrees for other in state.agents)
        tokens.append(token + place_and_voice + layers.support[min(others, encoder.SUPPORTS - 1)])
    hidden, relation = torch.stack(tokens), encoder.relations(batch.reads)[0]
    for layer in layers._blocks():
        parts = layer.projections(layer.norm_attention(hidden)).chunk(3, dim=-1)
        heads = [part.view(agents + 1, layer.heads, -1).transpose(0, 1) for part in parts]
        queries, keys, values = heads
        scores = queries @ keys.transpose(1, 2) / queries.shape[-1] ** 0.5
        scores = scores + layer.relation_bias(relation).permute(2, 0, 1)
        mixed = (scores.softmax(-1) @ values).transpose(0, 1).flatten(-2)
        hidden = hidden + layer.output(mixed)
        hidden = hidden + layer.narrow(
            torch.nn.functional.gelu(layer.widen(layer.norm_feed(hidden)))
        )
    normalised: Tensor = layers.norm(hidden)
    return normalised


@pytest.mark.parametrize("agents", [0, 1, 4, 9])
def test_the_encoder_agrees_with_its_equations(policy: MasHostPolicy, agents: int) -> None:
    roles, state = unit(ROLES, 12, seed=5), state_of(agents, roles=ROLES, seed=agents)
    with torch.inference_mode():
        expected = plain_encoder(policy, state, roles)
        encoded = policy.encode(collate([state], role_count=ROLES), pool_of(policy, roles))
    torch.testing.assert_close(encoded.state[0], expected[0], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(encoded.agents[0], expected[1:], atol=1e-5, rtol=1e-5)


def test_untrained_weights_are_a_function_of_the_seed_and_touch_no_global_seed() -> None:
    torch.manual_seed(11)
    before = torch.get_rng_state()
    first, again, other = (initial_policy(seed=seed).state_dict() for seed in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert any(not torch.equal(first[name], other[name]) for name in first)


def test_heads_must_divide_the_width() -> None:
    with pytest.raises(ValueError, match="multiple of heads"):
        PolicyConfig(hidden=10, heads=4)


def test_without_a_prior_an_untrained_policy_has_no_opinion_on_what_to_do() -> None:
    """And with it that of the prior; whom a new agent reads is believed in either case."""
    states = [state_of(agents, roles=ROLES, seed=agents) for agents in (0, 2, 5)]
    believed = {}
    for weight in (0.0, 1.0):
        policy = initial_policy(seed=0, config=SMALL, prior_weight=weight)
        pool = pool_of(policy, unit(ROLES, 12, seed=5))
        nodes, edges = logits(policy, pool, states)
        believed[weight] = nodes, edges
        with torch.inference_mode():
            seen = seen_by(collate(states, role_count=ROLES), pool)
            assert torch.equal(nodes, weight * NodePrior().forward(seen, pool.stages))
    assert believed[0.0][0].abs().max() == 0
    assert (believed[1.0][0][:, :ROLES].std(dim=1) > 1).all()
    assert torch.equal(believed[0.0][1], believed[1.0][1])
    assert believed[1.0][1].std() > 0.1


def test_without_a_prior_about_edges_each_is_as_likely_as_not() -> None:
    states = [state_of(agents, roles=ROLES, seed=agents) for agents in (2, 5)]
    policy = initial_policy(seed=0, config=SMALL, edge_prior_weight=0.0)
    nodes, edges = logits(policy, pool_of(policy, unit(ROLES, 12, seed=5)), states)
    assert edges.abs().max() == 0
    assert (nodes[:, :ROLES].std(dim=1) > 1).all()
