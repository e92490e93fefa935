"""What every engine does alike.

`bin/studio bench vllm` runs these tests against a real vLLM server.
"""

import math
from pathlib import Path

import pytest
import torch

from workers.core.rollouts.base import (
    EngineError,
    Ids,
    LossOptions,
    PolicyEngine,
    Sample,
    Sampling,
    Weighted,
    demonstration,
)
from workers.core.rollouts.tests.conftest import Make, tolerance
from workers.core.weights.nano import vocabulary_of

SAMPLING = Sampling(max_tokens=10, seed=5)
WORDS = len(vocabulary_of(4))


def prompts(engine: PolicyEngine, *said: str) -> list[Ids]:
    return [engine.prompt("tool", [{"role": "user", "content": text}]) for text in said]


def sampled(engine: PolicyEngine, n: int = 4, policy: str = "tool") -> list[Sample]:
    asked = prompts(engine, "AaaSab.ac#ba.bb#bc.ca.cb.ccG|", "BaaSab.acG|abac|")
    return [each for group in engine.sample(policy, asked, n, SAMPLING) for each in group]


def alike(some: list[Sample], others: list[Sample], engine: PolicyEngine) -> None:
    assert [each.tokens for each in some] == [each.tokens for each in others]
    for one, other in zip(some, others, strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=tolerance(engine))


def learned(engine: PolicyEngine, batch: list[Weighted], policy: str = "tool") -> None:
    engine.forward_backward(policy, batch, LossOptions())
    engine.optim_step(policy, 1e-2)


def test_each_prompt_gets_its_branches(engine: PolicyEngine) -> None:
    asked = prompts(engine, "AaaSab.ac#ba.bb#bc.ca.cb.ccG|", "BaaSab.acG|abac|", "B|")
    groups = engine.sample("tool", asked, 3, SAMPLING)
    assert [len(group) for group in groups] == [3, 3, 3]
    for prompt, group in zip(asked, groups, strict=True):
        for sample in group:
            assert sample.prompt == prompt
            assert 0 < len(sample.tokens) == len(sample.logprobs) <= 10
            assert all(value <= 0 for value in sample.logprobs)
            assert (sample.finish == "length") is (len(sample.tokens) == 10) or (
                sample.finish == "stop"
            )
    assert len({sample.tokens for group in groups for sample in group}) > 3


def test_the_same_call_gives_the_same_samples(engine: PolicyEngine) -> None:
    alike(sampled(engine), sampled(engine), engine)


def test_sampled_logprobs_are_those_of_the_policy(engine: PolicyEngine) -> None:
    samples = sampled(engine)
    for sample, told in zip(samples, engine.logprobs("tool", samples), strict=True):
        assert told == pytest.approx(sample.logprobs, abs=tolerance(engine))
    alone = [engine.logprobs("tool", [sample])[0] for sample in samples]
    for one, together in zip(alone, engine.logprobs("tool", samples), strict=True):
        assert one == pytest.approx(together, abs=1e-5), "others in the batch change nothing"


def test_the_start_stays_where_it_is_until_it_is_set_again(engine: PolicyEngine) -> None:
    samples = sampled(engine)
    first = engine.logprobs("tool", samples)
    assert engine.start_logprobs("tool", samples) == first
    learned(engine, [Weighted(each, (-1.0) ** at) for at, each in enumerate(samples)])
    now = engine.logprobs("tool", samples)
    assert now != first
    assert engine.start_logprobs("tool", samples) == first
    assert engine.logprobs("tool", samples) == now, "looking back changes nothing"
    engine.anchor("tool")
    assert engine.start_logprobs("tool", samples) == now


def test_probabilities_are_whole(engine: PolicyEngine) -> None:
    """Over all first tokens they sum to 1: nothing is cut off or scaled."""
    (prompt,) = prompts(engine, "AaaSab.acG|")
    all_tokens = [Sample(prompt, (token,), (0.0,), 0, "stop") for token in range(WORDS)]
    told = engine.logprobs("tool", all_tokens)
    assert sum(math.exp(each[0]) for each in told) == pytest.approx(1, abs=1e-5)


def test_without_temperature_the_likeliest_token_is_taken(engine: PolicyEngine) -> None:
    (prompt,) = prompts(engine, "AaaSab.acG|")
    ((sample,),) = engine.sample("tool", [prompt], 1, Sampling(1, seed=0, temperature=0))
    others = [Sample(prompt, (token,), (0.0,), 0, "stop") for token in range(WORDS)]
    told = [each[0] for each in engine.logprobs("tool", others)]
    assert told.index(max(told)) == sample.tokens[0]


def test_the_frequency_of_a_token_is_its_probability(engine: PolicyEngine) -> None:
    (prompt,) = prompts(engine, "AaaSab.acG|")
    (group,) = engine.sample("tool", [prompt], 512, Sampling(1, seed=1))
    found = [sample.tokens[0] for sample in group]
    likeliest = max(set(found), key=found.count)
    ((told,),) = engine.logprobs("tool", [Sample(prompt, (likeliest,), (0.0,), 0, "stop")])
    assert found.count(likeliest) / 512 == pytest.approx(math.exp(told), abs=0.06)


def test_what_is_rewarded_becomes_likelier_and_the_rest_less(engine: PolicyEngine) -> None:
    samples = sampled(engine)
    weighted = [Weighted(each, 1.0 if at % 2 else -1.0) for at, each in enumerate(samples)]
    before = [sum(each) for each in engine.logprobs("tool", samples)]
    told = engine.forward_backward("tool", weighted, LossOptions())
    assert told.mismatch < tolerance(engine)
    assert told.clipped == 0
    assert told.entropy > 0
    assert told.tokens == sum(len(sample.tokens) for sample in samples)
    assert engine.optim_step("tool", 1e-3) > 0
    after = [sum(each) for each in engine.logprobs("tool", samples)]
    change = [now - then for now, then in zip(after, before, strict=True)]
    assert sum(change[1::2]) > 0 > sum(change[::2])


def test_only_the_weights_that_sampled_are_compared_with_the_sampler(engine: PolicyEngine) -> None:
    batch = [Weighted(each, (-1.0) ** at) for at, each in enumerate(sampled(engine))]
    told = engine.forward_backward("tool", batch, LossOptions())
    assert told.compared == told.tokens
    engine.optim_step("tool", 1e-2)
    assert engine.forward_backward("tool", batch, LossOptions()).mismatch < tolerance(engine)
    (shown,) = (demonstration(batch[0].sample.prompt, batch[0].sample.tokens),)
    assert engine.forward_backward("tool", [Weighted(shown, 1.0)], LossOptions()).compared == 0


def test_a_demonstration_is_learned_by_heart(engine: PolicyEngine) -> None:
    (prompt,) = prompts(engine, "AaaSab.acG|")
    shown = demonstration(prompt, engine.sample("tool", [prompt], 1, SAMPLING)[0][0].tokens)
    before = sum(engine.logprobs("tool", [shown])[0])
    for _ in range(5):
        learned(engine, [Weighted(shown, 1.0)])
    assert sum(engine.logprobs("tool", [shown])[0]) > before


def test_a_policy_learns_alone(engine: PolicyEngine) -> None:
    samples = sampled(engine, policy="plan")
    before = engine.logprobs("plan", samples)
    learned(engine, [Weighted(each, 1.0) for each in sampled(engine)])
    assert engine.logprobs("plan", samples) == before
    learned(engine, [Weighted(each, 1.0) for each in samples], policy="plan")
    assert engine.logprobs("plan", samples) != before


def test_versions_count_publications(engine: PolicyEngine) -> None:
    assert {sample.version for sample in sampled(engine)} == {0}
    assert engine.publish("tool") == 1
    assert {sample.version for sample in sampled(engine)} == {1}
    assert {sample.version for sample in sampled(engine, policy="plan")} == {0}


def test_what_is_loaded_goes_on_as_what_was_saved(
    engine: PolicyEngine, make: Make, tmp_path: Path
) -> None:
    batch = [Weighted(each, (-1.0) ** at) for at, each in enumerate(sampled(engine))]
    learned(engine, batch)
    engine.publish("tool")
    engine.save(tmp_path / "saved")
    assert {file.suffix for file in (tmp_path / "saved").iterdir()} == {".safetensors", ".json"}
    other = make()
    other.load(tmp_path / "saved")
    for each in (engine, other):
        learned(each, batch)
    for name in ("tool", "plan"):
        for one, twin in zip(
            engine.tensors(name).values(), other.tensors(name).values(), strict=True
        ):
            assert torch.equal(one, twin)
    alike(sampled(engine), sampled(other), engine)
    other.close()


def test_a_loss_that_is_no_number_changes_no_weight(engine: PolicyEngine) -> None:
    before = engine.tensors("tool")
    batch = [Weighted(each, float("nan")) for each in sampled(engine)]
    with pytest.raises(EngineError, match="loss of the policy “tool” is nan") as raised:
        engine.forward_backward("tool", batch, LossOptions())
    assert "lower learning rate" in raised.value.remedy
    assert engine.optim_step("tool", 1e-2) == 0, "its gradient is gone"
    for key, tensor in engine.tensors("tool").items():
        assert torch.equal(tensor, before[key])


def test_divergence_from_the_start_is_told_and_held_back(engine: PolicyEngine) -> None:
    samples = sampled(engine)
    batch = [Weighted(each, (-1.0) ** at) for at, each in enumerate(samples)]
    first = engine.forward_backward("tool", batch, LossOptions(kl=0.1))
    assert first.kl == pytest.approx(0, abs=1e-6)
    engine.optim_step("tool", 1e-2)
    assert engine.forward_backward("tool", batch, LossOptions(kl=0.1)).kl > 1e-5
