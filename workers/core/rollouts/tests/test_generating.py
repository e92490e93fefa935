"""Sampling, beside transformers' own."""

import threading
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from workers.core.rollouts.base import (
    BrokenOff,
    EngineError,
    Ids,
    LossOptions,
    Sampling,
    Weighted,
)
from workers.core.rollouts.decoding import Decoding
from workers.core.rollouts.generating import generate
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import PolicySpec
from workers.core.rollouts.recorded import Recordings

PROMPTS = [(1, 3, 9, 8, 7), (1, 4, 9), (1, 3, 9, 8, 7, 6, 8, 7, 8, 6, 8, 8, 10, 5)]


@pytest.fixture
def model(nano: Path) -> AutoModelForCausalLM:
    return AutoModelForCausalLM.from_pretrained(nano / "nano").eval()


def test_greedy_answers_are_those_of_transformers(model: AutoModelForCausalLM) -> None:
    ours = generate(model, PROMPTS, 1, Sampling(12, 0, temperature=0), stop=[2], pad=0)
    for prompt, (sample,) in zip(PROMPTS, ours, strict=True):
        theirs = model.generate(
            torch.tensor([prompt]),
            max_new_tokens=12,
            do_sample=False,
            eos_token_id=2,
            pad_token_id=0,
        )[0, len(prompt) :]
        assert sample.tokens == tuple(theirs.tolist())


def test_rows_that_ended_leave_and_the_others_go_on_as_before(model: AutoModelForCausalLM) -> None:
    """Every fourth token is a stop, so half of the rows end soon."""
    stops = range(0, model.config.vocab_size, 4)
    many = generate(model, PROMPTS, 40, Sampling(12, 3), stop=stops, pad=0)
    ended = [sample for group in many for sample in group]
    assert {sample.finish for sample in ended} == {"stop", "length"}
    for sample in ended:
        assert all(token % 4 for token in sample.tokens[:-1])
        assert (sample.tokens[-1] % 4 == 0) is (sample.finish == "stop")
        ids = torch.tensor([sample.prompt + sample.tokens])
        with torch.no_grad():
            told = torch.log_softmax(model(ids).logits[0], dim=-1)
        expected = [
            float(told[len(sample.prompt) - 1 + at, token])
            for at, token in enumerate(sample.tokens)
        ]
        assert sample.logprobs == pytest.approx(expected, abs=1e-5)


def test_another_seed_gives_other_samples(model: AutoModelForCausalLM) -> None:
    one, two = (generate(model, PROMPTS, 4, Sampling(12, seed), stop=[2], pad=0) for seed in (1, 2))
    assert one != two


def test_branches_that_said_the_same_are_computed_once(
    model: AutoModelForCausalLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    fed: list[int] = []
    feed = Decoding.feed

    def watched(self: Decoding, tokens: torch.Tensor) -> None:
        fed.append(len(tokens))
        feed(self, tokens)

    monkeypatch.setattr(Decoding, "feed", watched)
    groups = generate(model, PROMPTS, 40, Sampling(3, 0), stop=(), pad=0)
    said = {(place, sample.tokens[:2]) for place, group in enumerate(groups) for sample in group}
    first = {(place, sample.tokens[0]) for place, group in enumerate(groups) for sample in group}
    assert fed == [len(first), len(said)]
    fed.clear()
    generate(model, PROMPTS, 40, Sampling(3, 0, temperature=0), stop=(), pad=0)
    assert fed == [3, 3]


def test_equal_prompts_are_computed_once_and_answered_independently(
    model: AutoModelForCausalLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    begin = Decoding.__init__

    def watched(self: Decoding, model: Any, prompts: Sequence[Ids], *, pad: int) -> None:
        begun.append(len(prompts))
        begin(self, model, prompts, pad=pad)

    monkeypatch.setattr(Decoding, "__init__", watched)
    asked = [PROMPTS[0], PROMPTS[1], PROMPTS[0], PROMPTS[0]]
    groups = generate(model, asked, 2, Sampling(8, 0), stop=[2], pad=0)
    assert begun == [2]
    assert [sample.prompt for (sample, _) in groups] == asked
    assert len({sample.tokens for at in (0, 2, 3) for sample in groups[at]}) > 1


def test_memory_that_stays_where_it_is_gives_the_same_samples(
    model: AutoModelForCausalLM,
) -> None:
    """As on a GPU, where a step works on fixed memory. The second call uses the first one's."""
    stops, recordings = range(0, model.config.vocab_size, 4), Recordings()
    for prompts, seed in ((PROMPTS, 3), (PROMPTS[1:], 4)):
        freely = generate(model, prompts, 40, Sampling(12, seed), stop=stops, pad=0)
        there = generate(
            model, prompts, 40, Sampling(12, seed), stop=stops, pad=0, recordings=recordings
        )
        for ours, theirs in zip(chain(*there), chain(*freely), strict=True):
            assert ours.tokens == theirs.tokens
            assert ours.logprobs == pytest.approx(theirs.logprobs, abs=1e-5)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_replays_what_was_recorded(model: AutoModelForCausalLM) -> None:
    model, recordings = model.cuda(), Recordings()
    for seed in (1, 2):
        freely = generate(model, PROMPTS, 40, Sampling(12, seed), stop=[2], pad=0)
        there = generate(
            model, PROMPTS, 40, Sampling(12, seed), stop=[2], pad=0, recordings=recordings
        )
        assert [one.tokens for one in chain(*there)] == [one.tokens for one in chain(*freely)]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_model_without_probabilities_is_told(
    model: Any, value: float, temperature: float
) -> None:
    with torch.no_grad():
        model.get_output_embeddings().weight[3] = value
    with pytest.raises(EngineError, match="probability of a token is nan") as raised:
        generate(model, PROMPTS, 2, Sampling(4, 0, temperature=temperature), stop=[2], pad=0)
    assert (raised.value.code, bool(raised.value.remedy)) == ("not_finite", True)


@pytest.mark.usefixtures("nano")
def test_what_is_broken_off_ends_at_the_next_token_or_part() -> None:
    broken_off = threading.Event()
    engine = InProcessEngine({"one": PolicySpec("nano")}, seed=0, broken_off=broken_off)
    (samples,) = engine.sample("one", PROMPTS[:1], 4, Sampling(12, 0))
    batch = [Weighted(each, 1.0) for each in samples]
    threading.Timer(0.2, broken_off.set).start()
    with pytest.raises(BrokenOff):
        engine.sample("one", PROMPTS * 4_000, 20, Sampling(400, 1))  # it would take minutes
    with pytest.raises(BrokenOff):
        engine.forward_backward("one", batch, LossOptions())
    with pytest.raises(BrokenOff):
        engine.logprobs("one", samples)


def test_use_is_asked_for_before_each_token(model: AutoModelForCausalLM) -> None:
    asked = list[int]()
    (made,), *_ = generate(
        model, PROMPTS, 1, Sampling(7, 0), stop=[], pad=0, require_use=lambda: asked.append(1)
    )
    assert len(asked) == len(made.tokens) == 7
