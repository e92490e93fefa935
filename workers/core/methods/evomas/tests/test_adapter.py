"""The adapter's equations by hand, its invariants, and its gradient against finite differences."""

import math
from typing import Literal

import pytest
import torch
from pydantic import ValidationError
from torch import Tensor

from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.events import Assessment
from workers.core.methods.evomas.adapter import (
    Adapter,
    Choosing,
    States,
    attention_weights,
    cosines,
    exit_length,
    initial_adapter,
    layers_before,
    likelihood,
    sample,
    told_apart,
)
from workers.core.methods.evomas.agents import candidates
from workers.core.methods.evomas.choosing import choosing_of, embedded, pool_embeddings
from workers.core.methods.evomas.config import AdapterConfig, SolvingConfig
from workers.core.methods.evomas.state import Artifact, compact, initial_state, updated

SMALL = AdapterConfig(dimension=6, width=4)
CHOOSING = Choosing(temperature=0.2, mass=0.6, layers=3, exit=2)


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def uniforms(count: int, *, seed: int = 1) -> Tensor:
    return torch.rand(count, 3, 4, generator=torch.Generator().manual_seed(seed))


AGENTS = told_apart(random(4, 6))
EACH = [States.of(random(3, 6, seed=2)), States.of(random(5, 6, seed=3))]
STATES = States.joined(EACH)


def test_the_context_is_the_mean_of_the_agents_chosen_before_and_zero_at_first() -> None:
    assert layers_before(AGENTS, torch.zeros(1, 4)).tolist() == [[0.0] * 6]
    found = layers_before(AGENTS, torch.tensor([[1.0, 0.0, 2.0, 0.0]]))
    expected = (AGENTS[0] + 2 * AGENTS[2]) / 3
    assert found.flatten().tolist() == pytest.approx(expected.tolist())


def test_the_attention_by_hand() -> None:
    """softmax((2, 0) / √4), and for a second head the same without a query."""
    queries, keys = torch.zeros(1, 2, 4), torch.eye(2, 4).unsqueeze(1).repeat(1, 2, 1)
    queries[0, 0, 0] = 2.0
    found = attention_weights(queries, keys)
    share = math.e / (math.e + 1)
    assert found.flatten().tolist() == pytest.approx([share, 1 - share, 0.5, 0.5])


@pytest.mark.parametrize("heads", [1, 2])
def test_the_scores_are_those_of_the_equations_one_after_the_other(heads: int) -> None:
    shape = AdapterConfig(dimension=6, width=4, heads=heads)
    adapter = initial_adapter(0, shape, AGENTS, CHOOSING)
    chosen = torch.tensor([[1.0, 0.0, 1.0, 0.0]] * 2)
    found = adapter.scores(adapter.read(STATES, AGENTS), chosen)
    for row, state in enumerate(EACH):
        context = (AGENTS[0] + AGENTS[2]) / 2
        x = torch.cat([state.rows, context.unsqueeze(0)])  # Eq. 22, 23
        q, k, v = x @ adapter.query, AGENTS @ adapter.key, AGENTS @ adapter.value  # Eq. 24
        parts = zip(q.chunk(heads, 1), k.chunk(heads, 1), v.chunk(heads, 1), strict=True)
        each = [torch.softmax(q @ k.T / math.sqrt(4 / heads), dim=-1) @ v for q, k, v in parts]
        h = torch.cat(each, dim=1).mean(dim=0)  # Eq. 25, 26
        expected = torch.cosine_similarity(h.unsqueeze(0), AGENTS)  # Eq. 10
        assert torch.allclose(found[row], expected, atol=1e-6)


def test_heads_share_width_and_dimension_evenly() -> None:
    with pytest.raises(ValidationError, match="4 heads can't share a width of 6"):
        AdapterConfig(dimension=8, width=6, heads=4)
    with pytest.raises(ValidationError, match="dimension of 6"):
        AdapterConfig(dimension=6, width=8, heads=4)


def test_cosines_by_hand() -> None:
    found = cosines(torch.tensor([[3.0, 4.0]]), torch.tensor([[2.0, 0.0], [0.0, 0.5]]))
    assert found.flatten().tolist() == pytest.approx([0.6, 0.8])


def test_agents_are_told_apart_by_the_nearest_orthonormal_rows() -> None:
    similar = torch.tensor([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0]])
    assert told_apart(similar).flatten().tolist() == pytest.approx([1, 0, 0, 0, 1, 0], abs=1e-6)
    twice, crowd = told_apart(similar[[0, 0]]), told_apart(random(9, 6))
    assert bool(twice.isfinite().all())
    assert crowd.shape == (9, 6)


def test_early_exit_can_be_shortened_only_as_far_as_the_temperature_allows() -> None:
    assert exit_length(7, 0.1) == pytest.approx(0.476, abs=1e-3)
    assert exit_length(7, 10.0) == 0.0
    assert exit_length(100, 0.1) == pytest.approx(1.0)  # an even share is less already


@pytest.mark.parametrize("heads", [1, 8])
@pytest.mark.parametrize("agents", ["7", "4"])
async def test_an_untrained_adapter_takes_real_agents_equally_and_early_exit_seldom(
    agents: Literal["7", "4"], heads: int
) -> None:
    config, embedder = SolvingConfig(agents=agents), MiniLMEmbedder()
    pool = candidates(config, None)
    rows, choosing = await pool_embeddings(embedder, pool), choosing_of(config, pool)
    first = initial_state("Which river is longer, the Elbe or the Loire, and by how much?")
    said = Assessment(verdict="refine", confidence=0.6, feedback="The unit is missing.")
    again = updated(first, [["io"]], Artifact("1094"), said, stage=1)
    for seed in range(3):
        adapter = initial_adapter(seed, AdapterConfig(heads=heads), rows, choosing)
        for state in (first, again):
            tokens = await embedded(embedder, compact(state, {}))
            found = sample(adapter, rows, States.of(tokens), choosing).log_probabilities[0].exp()
            exits = found[:, choosing.exit]
            others = (1 - exits) / (len(pool.roles) - 1)
            assert bool((exits < 0.03).all())
            share = found / others.unsqueeze(1)
            share[:, choosing.exit] = 1.0
            assert 0.8 < float(share.min()) <= float(share.max()) < 1.2


def test_padding_and_the_batch_change_nothing() -> None:
    adapter = initial_adapter(0, SMALL, AGENTS, CHOOSING)
    together = sample(adapter, AGENTS, STATES, CHOOSING, uniforms(2))
    for row, alone in enumerate(EACH):
        found = sample(adapter, AGENTS, alone, CHOOSING, uniforms(2)[row : row + 1])
        assert torch.equal(found.orders[0], together.orders[row])
        assert torch.allclose(found.log_probabilities[0], together.log_probabilities[row])


def test_a_table_that_states_share_stays_one() -> None:
    rows = random(4, 6)
    one, two = States(rows, torch.tensor([[0, 1]])), States(rows, torch.tensor([[3, 1, 2]]))
    found = States.joined([one, two, EACH[0]])
    assert found.rows.shape == (7, 6)
    assert found.places.tolist() == [[0, 1, -1], [3, 1, 2], [4, 5, 6]]


def test_agents_in_another_order_have_the_same_probabilities() -> None:
    adapter, order = initial_adapter(0, SMALL, AGENTS, CHOOSING), torch.tensor([2, 0, 3, 1])
    whole = Choosing(temperature=0.2, mass=0.6, layers=1)
    found = sample(adapter, AGENTS, STATES, whole).log_probabilities
    moved = sample(adapter, AGENTS[order], STATES, whole).log_probabilities
    assert torch.allclose(found[:, :, order], moved, atol=1e-6)


def test_nothing_is_chosen_after_early_exit() -> None:
    adapter = initial_adapter(0, SMALL, AGENTS, CHOOSING)
    states = States.joined([States.of(random(3, 6, seed=seed)) for seed in range(200)])
    found = sample(
        adapter,
        AGENTS,
        states,
        CHOOSING,
        torch.rand(200, 3, 4, generator=torch.Generator().manual_seed(4)),
    )
    exits = (found.orders == 2).any(dim=-1)
    assert bool(exits.any())
    for row in range(200):
        for layer in range(3):
            gone = bool(exits[row, :layer].any())
            assert bool(found.present[row, layer]) is not gone
            assert bool((found.orders[row, layer] >= 0).any()) is not gone


def test_the_likelihood_is_that_of_the_draw() -> None:
    adapter = initial_adapter(0, SMALL, AGENTS, CHOOSING)
    found = sample(adapter, AGENTS, STATES, CHOOSING, uniforms(2))
    again = likelihood(adapter, AGENTS, STATES, found, CHOOSING)
    by_hand = torch.zeros(2)
    for row in range(2):
        for log_p, order in zip(found.log_probabilities[row], found.orders[row], strict=True):
            left = 1.0
            for place in [each for each in order.tolist() if each >= 0]:
                chance = float(log_p[place].exp())
                by_hand[row] += math.log(chance / left)
                left -= chance
    assert again.log_probability.tolist() == pytest.approx(by_hand.tolist(), abs=1e-4)
    assert again.layers.sum(dim=1).tolist() == pytest.approx(by_hand.tolist(), abs=1e-4)


def test_its_gradient_agrees_with_finite_differences() -> None:
    adapter = initial_adapter(0, SMALL, AGENTS, CHOOSING).double()
    agents = AGENTS.double()
    states = States(STATES.rows.double(), STATES.places)
    found = sample(adapter, agents, states, CHOOSING, uniforms(2).double())

    def whole(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        given = Adapter(SMALL).double()
        parts = {"query": query, "key": key, "value": value}
        for name, tensor in parts.items():
            delattr(given, name)
            setattr(given, name, tensor)
        return likelihood(given, agents, states, found, CHOOSING).log_probability

    inputs = (adapter.query, adapter.key, adapter.value)
    assert torch.autograd.gradcheck(whole, inputs)
