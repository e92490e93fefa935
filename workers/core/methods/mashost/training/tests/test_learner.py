import math
from dataclasses import replace
from typing import Any

import pytest
import torch

from workers.core.methods.mashost.config import Jpss
from workers.core.methods.mashost.policy import MasHostPolicy, seen_by
from workers.core.methods.mashost.steps import Likelihood, likelihood
from workers.core.methods.mashost.tests.support import shaken_policy
from workers.core.methods.mashost.training import learner as learner_module
from workers.core.methods.mashost.training.config import PAPER
from workers.core.methods.mashost.training.learner import Learner, policy_loss
from workers.core.methods.mashost.training.tests.support import (
    ROLES,
    config_of,
    four_systems,
    learner_of,
    steps_of,
    system_of,
    weights,
)
from workers.core.methods.mashost.training.trajectory import Trajectory, exploring_at, tensors_of
from workers.core.rl.objective import action_weights
from workers.core.rl.options import Weigh


class TestLoss:
    """Eq. 7 for a system of two actions and one of three, by hand."""

    RATIOS = torch.tensor([1.3, 0.5, 1.0, 0.7, 1.1])
    ADVANTAGES = torch.tensor([1.0, -2.0, 3.0, 1.0, -1.0])
    NODE = torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5])
    EDGE = torch.tensor([0.0, 1.0, 0.0, 0.0, 1.0])
    OLD = torch.tensor([-1.0, -2.0, -0.5, -0.1, -3.0])
    PRESENT = torch.tensor([[True, True, False], [True, True, True]])

    def loss(self, **changes: Any) -> float:
        config = config_of(epsilon=0.2, edge_entropy_share=0.5, **changes)
        found = Likelihood(self.OLD + self.RATIOS.log(), self.NODE, self.EDGE)
        weights = action_weights(self.PRESENT, weigh=config.weigh)[self.PRESENT]
        weights = weights / weights.mean()
        options: Any = {"config": config, "entropy_bonus": 0.1}
        return policy_loss(found, self.OLD, self.ADVANTAGES, weights, **options).item()

    def test_every_system_or_every_action_alike(self) -> None:
        # min(1.3, 1.2) · 1;  min(0.5 · −2, 0.8 · −2);  3;  min(0.7, 0.8);  −1.1
        first, second = (1.2 - 1.6), (3.0 + 0.7 - 1.1)
        entropy = 0.1 * (1.5 + 0.5 * 2.0) / 5
        systems = (first / 2 + second / 3) / 2
        assert self.loss(weigh="system") == pytest.approx(-systems - entropy)
        assert self.loss(weigh="action") == pytest.approx(-(first + second) / 5 - entropy)


class TestUpdate:
    def test_jpss_changes_the_probability_of_the_same_edges(self) -> None:
        policy = shaken_policy()
        learner = learner_of(config_of(), policy=policy)
        steps = steps_of(learner, four_systems()[2:3])
        found = {
            jpss: likelihood(policy, learner.pool_tensors(), steps, jpss=jpss).log_probability
            for jpss in ("joint", "relative", "off")
        }
        assert not torch.allclose(found["joint"], found["off"])
        assert not torch.allclose(found["joint"], found["relative"])
        # Only the step that adds an agent with somebody to read has edges.
        assert torch.allclose(found["joint"][[0, 2]], found["off"][[0, 2]])

    @pytest.mark.parametrize("jpss", ["joint", "relative", "off"])
    def test_the_gradient_of_the_joint_log_probability_agrees_with_finite_differences(
        self, jpss: Jpss
    ) -> None:
        """Of every weight of the policy, at the place where its gradient is largest."""
        config = config_of(**PAPER | {"rounds": 1, "max_agents": 4, "max_steps": 6, "jpss": jpss})
        learner = learner_of(config, policy=shaken_policy().double())
        learner.pool = type(learner.pool)(
            learner.pool.roles.double(), learner.pool.anchors.double()
        )
        steps = _double(steps_of(learner, four_systems()))
        weights = dict(learner.policy.named_parameters())

        def joint() -> torch.Tensor:
            pool = learner.pool_tensors()
            return likelihood(learner.policy, pool, steps, jpss=jpss).log_probability.sum()

        gradients = torch.autograd.grad(joint(), list(weights.values()), allow_unused=True)
        found = dict(zip(weights, gradients, strict=True))
        assert all(gradient is not None for gradient in found.values())
        for name, gradient in found.items():
            place = int(gradient.abs().argmax())
            flat = weights[name].data.view(-1)
            flat[place] += 1e-5
            above = joint().item()
            flat[place] -= 2e-5
            below = joint().item()
            flat[place] += 1e-5
            difference = pytest.approx((above - below) / 2e-5, rel=1e-4, abs=1e-7)
            assert gradient.reshape(-1)[place].item() == difference, name

    @pytest.mark.parametrize("weigh", ["system", "action"])
    @pytest.mark.parametrize("jpss", ["joint", "off"])
    def test_the_objective_of_a_sample_by_hand(self, weigh: Weigh, jpss: Jpss) -> None:
        """Eq. 7 from two systems to one number, of which only the probabilities are not by hand:
        a right one of two actions, +1, and a wrong one of three, −1, with a deviation of 1."""
        changes = {"weigh": weigh, "jpss": jpss, "rounds": 1, "action_term": False, "beta": 0.0}
        learner = learner_of(config_of(**PAPER | changes | {"max_agents": 4, "max_steps": 6}))
        sampled_by = shaken_policy(seed=3)
        systems = [system_of(0, correct=(True, True)), system_of(1, 2, correct=(False,) * 3)]
        steps = steps_of(learner, systems)
        steps = replace(steps, seen=seen_by(steps.states, learner.pool_tensors()))

        def objective(jpss: Jpss) -> float:
            now, then = (
                likelihood(p, p.pool_tensors(learner.pool), steps, jpss=jpss).log_probability
                for p in (learner.policy, sampled_by)
            )
            drawn = (now - then).exp().detach()
            each = [1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3] if weigh == "system" else [1.0] * 5
            counted = drawn * torch.tensor(each)
            return float((counted[:2].sum() - counted[2:].sum()) / counted.sum())

        expected = {kind: objective(kind) for kind in ("joint", "off")}
        metrics, _ = learner.update([systems], sampled_by=sampled_by)
        assert metrics["loss"] == pytest.approx(-expected[jpss], abs=1e-5)
        assert abs(expected["joint"] - expected["off"]) > 1e-4

    def test_right_systems_become_likelier_and_gain_on_wrong_ones(self) -> None:
        learner = learner_of(config_of(baseline="group", action_term=False, normalise="none"))
        groups = [four_systems(query) for query in range(4)]
        systems = [system for group in groups for system in group]
        before = [_log_probability(learner, system) for system in systems]
        for _ in range(5):
            learner.update(groups)
        gained = [
            _log_probability(learner, system) - old
            for system, old in zip(systems, before, strict=True)
        ]
        right = [g for g, s in zip(gained, systems, strict=True) if s.correct]
        wrong = [g for g, s in zip(gained, systems, strict=True) if not s.correct]
        # A wrong system may begin like a right one, and gains with it.
        assert sum(right) / len(right) > max(0.0, sum(wrong) / len(wrong))

    @pytest.mark.parametrize("baseline", ["group", "value"])
    def test_a_system_that_was_drawn_three_times_teaches_as_three(self, baseline: str) -> None:
        config = config_of(baseline=baseline, action_term=False, gradient_limit=None)
        right, wrong = four_systems()[2:]
        taught = []
        for group in (
            [replace(right, draws=3), wrong],
            [right, right, right, wrong],
            [right, wrong],
        ):
            learner = learner_of(config)
            learner.update([group])
            networks = (
                (learner.policy, learner.critic) if baseline == "value" else (learner.policy,)
            )
            gradients = [w.grad for network in networks for w in network.parameters()]
            taught.append(torch.cat([g.flatten() for g in gradients if g is not None]))
        drawn_again, three, once = taught
        assert torch.allclose(drawn_again, three, rtol=1e-3, atol=1e-6)
        assert not torch.allclose(drawn_again, once, rtol=1e-1, atol=1e-6)

    def test_minibatches_add_up_to_the_whole_sample(self) -> None:
        """What counts for more moves more, whatever it shares its minibatch with."""
        found = []
        for minibatches in (1, 4):
            learner = learner_of(
                config_of(learning_rate=1e-12, minibatches=minibatches, gradient_limit=None)
            )
            gradients: list[torch.Tensor] = []

            def keep(*_: object, learner: Any = learner, kept: Any = gradients) -> None:
                kept.append(learner.policy.node_query.weight.grad.clone())

            learner.optimiser.register_step_pre_hook(keep)
            often, *others = four_systems()
            learner.update([[replace(often, draws=27), *others], four_systems(1)])
            assert len(gradients) == minibatches
            found.append(torch.stack(gradients).mean(dim=0))
        assert found[0].abs().max() > 1e-3
        assert torch.allclose(found[0], found[1], rtol=1e-3, atol=1e-7)

    def test_groups_of_equal_rewards_teach_nothing(self) -> None:
        learner = learner_of(config_of(baseline="group", action_term=False, normalise="group"))
        before = weights(learner)
        metrics, _ = learner.update([[system_of(0, correct=(True, True)) for _ in range(4)]])
        assert metrics["gradient_norm"] == pytest.approx(0, abs=1e-6)
        assert all(torch.equal(before[name], t) for name, t in weights(learner).items())

    def test_every_round_goes_through_all_minibatches(self) -> None:
        learner = learner_of(config_of(rounds=3, minibatches=2, learning_rate_end=0.5))
        learner.update([four_systems(query) for query in range(2)])
        parameter = learner.policy.node_query.weight
        assert learner.optimiser.state[parameter]["step"] == 6
        learner.step = learner.total_steps
        learner.update([four_systems()])
        rate = learner.optimiser.param_groups[0]["lr"]
        assert rate == pytest.approx(0.5 * learner.config.learning_rate)

    @pytest.mark.parametrize(
        ("held", "rates"), [(0.0, [1, 0.8, 0.6, 0.4, 0.2]), (0.6, [1, 1, 1, 1, 0.5])]
    )
    def test_the_learning_rate_falls_after_it_was_held(
        self, held: float, rates: list[float]
    ) -> None:
        """At every second of ten steps."""
        learner = learner_of(config_of(learning_rate_end=0.0, learning_rate_hold=held))
        found = []
        for step in range(0, learner.total_steps, 2):
            learner.step = step
            learner.update([four_systems()])
            found.append(learner.optimiser.param_groups[0]["lr"] / learner.config.learning_rate)
        assert found == pytest.approx(rates)

    def test_a_minibatch_keeps_what_belongs_together(self) -> None:
        """The order in which the actions stand in it changes nothing."""
        one, other = (gradient_of(weigh="system", seed=seed) for seed in (1, 2))
        assert one.abs().max() > 1e-3
        assert torch.allclose(one, other, atol=1e-6)

    def test_what_another_policy_sampled_counts_by_its_importance(self) -> None:
        """The first update of a sample clips nothing, however old the sample is."""
        samplers = (None, shaken_policy(), shaken_policy(seed=9))
        same, itself, another = (gradient_of(sampled_by=sampler) for sampler in samplers)
        assert torch.equal(same, itself)
        assert not torch.allclose(same, another)

    def test_how_much_an_older_policys_action_may_count_is_limited(self) -> None:
        unlimited, never_reached, limited = (
            gradient_of(sampled_by=shaken_policy(seed=9), importance_limit=limit)
            for limit in (None, 1e9, 1.001)
        )
        assert torch.equal(unlimited, never_reached)
        assert not torch.allclose(unlimited, limited)

    def test_what_an_update_tells_is_of_its_own_minibatches(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[tuple[Likelihood, torch.Tensor]] = []

        def watched(found: Likelihood, old: torch.Tensor, *given: Any, **options: Any) -> Any:
            seen.append((found, old))
            return policy_loss(found, old, *given, **options)

        monkeypatch.setattr(learner_module, "policy_loss", watched)
        config = config_of(rounds=3, minibatches=1, learning_rate=0.05, epsilon=0.05)
        metrics, _ = learner_of(config).update([four_systems()])
        assert len(seen) == 3
        nodes = [float(found.node_entropy.detach().mean()) for found, _ in seen]
        edges = [float(found.edge_entropy.detach().mean()) for found, _ in seen]
        ratios = [(found.log_probability.detach() - old).exp() for found, old in seen]
        clipped = [float(((ratio - 1).abs() > 0.05).float().mean()) for ratio in ratios]
        assert metrics["node_entropy"] == pytest.approx(sum(nodes) / 3)
        assert metrics["edge_entropy"] == pytest.approx(sum(edges) / 3)
        assert metrics["node_entropy"] != pytest.approx(metrics["edge_entropy"], rel=0.05)
        assert clipped[0] == 0  # in the first round the policy is the one that sampled
        assert metrics["ratio_clipped"] == pytest.approx(sum(clipped) / 3)
        assert 0 < metrics["ratio_clipped"] < 1

    def test_an_explorer_teaches_from_where_it_explored(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What it explored counts in full, however seldom the policy does it; the critic learns
        only of the states after it, from which on it is as the policy builds."""
        ratios = torch.tensor([0.5, 2.0, 1.0, 0.5, 0.25, 2.0])
        monkeypatch.setattr(learner_module, "importance", lambda *_, limit: ratios)
        taken: list[torch.Tensor] = []
        for name in ("_improve", "_learn_values"):
            whole = getattr(Learner, name)

            def watched(self: Learner, *given: Any, whole: Any = whole) -> Any:
                taken.append(given[-1])
                return whole(self, *given)

            monkeypatch.setattr(Learner, name, watched)
        plain, follower = four_systems()[2:]
        for group in ([plain, follower], [plain, exploring_at(1, follower)]):
            learner_of(config_of(count_draws=True)).update([group])
        for explores in (False, True):
            given, counts = taken[2:] if explores else taken[:2]
            expected = torch.tensor([0.5, 2.0, 1.0, 0.0, 1.0, 2.0]) if explores else ratios
            assert torch.allclose(given, expected / expected.mean())
            known = torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0, 1.0]) if explores else torch.ones(6)
            assert torch.allclose(counts, known / known.mean())

    def test_the_same_seed_gives_the_same_weights(self) -> None:
        results = []
        for _ in range(2):
            learner = learner_of(config_of(rounds=2, minibatches=2))
            learner.update([four_systems(query) for query in range(3)])
            results.append(weights(learner))
        assert all(torch.equal(results[0][name], results[1][name]) for name in results[0])

    @pytest.mark.parametrize("average", [0.0, 0.75])
    def test_checkpoints_hold_the_mean_of_the_steps(self, average: float) -> None:
        learner = learner_of(config_of(average=average, learning_rate=0.05))
        expected: dict[str, torch.Tensor] = {}
        for step in range(1, 7):
            learner.update([four_systems(query) for query in range(3)])
            kept = min(average, 1 - 1 / step)
            expected = {
                name: kept * expected.get(name, torch.zeros(())) + (1 - kept) * tensor
                for name, tensor in weights(learner).items()
            }
        averaged = learner.averaged.state_dict()
        for name, tensor in expected.items():
            assert torch.allclose(averaged[name], tensor, atol=1e-6), name
        newest = all(torch.equal(averaged[name], t) for name, t in weights(learner).items())
        assert newest is (average == 0)

    def test_the_critic_learns_the_known_reward_of_stopping(self) -> None:
        learner = learner_of(config_of(critic_updates=64, critic_learning_rate=1e-2))
        group = [system_of(0, correct=(True, True)), system_of(1, correct=(False, False))]
        for _ in range(4):
            learner.update([group])
        steps = steps_of(learner, group)
        _, stops = learner.critic.forward(steps.states, learner.pool.roles)
        # Nothing yet · a right answer for 100 tokens · nothing yet · a wrong answer
        assert stops[steps.where].tolist() == pytest.approx([-1.0, 0.99, -1.0, -1.0], abs=0.25)

    def test_the_entropy_bonus_rises_while_entropy_is_missing(self) -> None:
        learner = learner_of(config_of(entropy_start=5.0, entropy_bonus=0.01))
        bonuses = [learner.update([four_systems()])[0]["entropy_bonus"] for _ in range(3)]
        assert 0.01 < bonuses[0] < bonuses[1] < bonuses[2]
        calm = learner_of(config_of(entropy_start=0.0, entropy_bonus=0.1))
        assert 0.01 <= calm.update([four_systems()])[0]["entropy_bonus"] < 0.1

    def test_without_a_schedule_the_entropy_bonus_stays(self) -> None:
        learner = learner_of(config_of(entropy_start=None, entropy_bonus=0.03))
        bonuses = [learner.update([four_systems()])[0]["entropy_bonus"] for _ in range(3)]
        assert bonuses == [0.03] * 3

    def test_a_small_pool_keeps_less_entropy_than_it_could_have(self) -> None:
        """So that a schedule above it leaves something to learn."""
        even = math.log(ROLES + 2)
        for entropy, rises in ((0.5 * even, True), (0.7 * even, False)):
            learner = learner_of(config_of(entropy_start=10.0, entropy_end=10.0))
            learner.entropy_bonus = 0.1
            learner._adapt_entropy(entropy)
            assert (learner.entropy_bonus > 0.1) is rises


class TestTensors:
    def test_padding_is_inert_and_batches_agree_with_their_parts(self) -> None:
        learner = learner_of(config_of())
        systems = [system for query in range(2) for system in four_systems(query)]
        each = [steps_of(learner, [system]) for system in systems]
        pool = learner.pool_tensors()
        alone = torch.cat(
            [likelihood(learner.policy, pool, s, jpss="relative").log_probability for s in each]
        )
        steps = steps_of(learner, systems)
        kept = replace(steps, seen=seen_by(steps.states, pool))
        last = torch.arange(len(steps) - 1, -1, -1)
        for batch, expected in ((steps, alone), (kept, alone), (kept.take(last), alone[last])):
            found = likelihood(learner.policy, pool, batch, jpss="relative").log_probability
            assert torch.allclose(found, expected, atol=1e-5)

    def test_a_state_that_many_actions_were_taken_in_is_kept_once(self) -> None:
        learner = learner_of(config_of())
        config = learner.config.run_config()
        right, wrong = four_systems()[:2]
        begun = right.actions[0].state
        other = replace(wrong.actions[0], state=begun)
        twice = [*right.actions, other, right.actions[0], other]
        steps = tensors_of(twice, role_count=ROLES, config=config)
        assert len(steps.states) == 2
        assert steps.where.tolist() == [0, 1, 0, 0, 0]
        pool = learner.pool_tensors()
        found = likelihood(learner.policy, pool, steps, jpss="relative")
        for row, action in enumerate(twice):
            alone = tensors_of([action], role_count=ROLES, config=config)
            for taken in (alone, steps.take(torch.tensor([row]))):
                assert len(taken.states) == 1
                expected = likelihood(learner.policy, pool, taken, jpss="relative")
                for name in ("log_probability", "node_entropy", "edge_entropy"):
                    value = getattr(expected, name)[0].item()
                    assert getattr(found, name)[row].item() == pytest.approx(value, abs=1e-5)

    def test_a_message_and_a_query_in_many_states_are_kept_once(self) -> None:
        systems = four_systems()
        actions = [action for system in systems for action in system.actions]
        steps = steps_of(learner_of(config_of()), systems)
        states = steps.states
        spoken = {a.message.numpy().tobytes() for action in actions for a in action.state.agents}
        assert len(states.texts) == 1 + len(spoken)
        assert len(states.queries) == 1
        for row, action in zip(steps.where.tolist(), actions, strict=True):
            messages = [agent.message for agent in action.state.agents]
            for place, message in enumerate(messages):
                assert torch.equal(states.texts[states.messages[row, place]], message)
            assert not states.texts[states.messages[row, len(messages) :]].any()
            assert torch.equal(states.queries[states.query[row]], action.state.query)


def gradient_of(
    *, sampled_by: MasHostPolicy | None = None, seed: int = 0, **config: Any
) -> torch.Tensor:
    """Of the node policy, after one update in which nothing was clipped."""
    learner = learner_of(config_of(**config))
    learner.generator = torch.Generator().manual_seed(seed)
    metrics, _ = learner.update([four_systems(query) for query in range(2)], sampled_by=sampled_by)
    assert metrics["ratio_clipped"] == 0
    gradient = learner.policy.node_query.weight.grad
    assert gradient is not None
    return gradient


def _log_probability(learner: Learner, system: Trajectory) -> float:
    steps = steps_of(learner, [system])
    with torch.no_grad():
        found = likelihood(learner.policy, learner.pool_tensors(), steps, jpss=learner.config.jpss)
    return float(found.log_probability.sum())


def _double(steps: Any) -> Any:
    states = steps.states
    changed = {name: getattr(states, name).double() for name in ("queries", "texts", "removed")}
    return replace(steps, states=replace(states, **changed))
