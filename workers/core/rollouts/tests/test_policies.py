"""Which models can be policies."""

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
import torch
from transformers.utils.chat_template_utils import render_jinja_template

from workers.core.rollouts import learning
from workers.core.rollouts.base import EngineError, LossOptions, Sampling, Weighted
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import Policy, PolicySpec, dated, load_policies
from workers.core.weights import models
from workers.core.weights.nano import NanoConfig, make_nano

CHAT = ({"role": "system", "content": "You propose."}, {"role": "user", "content": "AaaSab.acG"})
DATED = "{% for each in strftime_now('%d') %}{{ 'ab'[each | int % 2] }}{% endfor %}|"
"""Llama 3's puts the date into the prompt, too. This one has a letter for each digit of the day."""
NO_SYSTEM = "{{ raise_exception('System role not supported') }}"


def with_words(folder: Path, **changes: object) -> Policy:
    make_nano(folder / "small", NanoConfig(layers=1, width=16, heads=2, rows=3), seed=0)
    told = folder / "small" / "tokenizer_config.json"
    told.write_text(json.dumps(json.loads(told.read_text()) | changes))
    return load_policies({"one": PolicySpec("small")}, seed=0)["one"]


@pytest.mark.parametrize("template", [None, NO_SYSTEM])
def test_a_model_without_a_form_for_the_chat_is_refused(
    template: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    with pytest.raises(EngineError, match="reads no such chat") as raised:
        with_words(tmp_path, chat_template=template).prompt(CHAT)
    assert "follows instructions" in raised.value.remedy


def test_what_ends_a_message_is_no_unknown_sign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with StableLM's models, whose one special token is for everything."""
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    policy = with_words(tmp_path, unk_token="<s>")
    assert policy.prompt(CHAT)[0] == policy.tokenizer.unk_token_id
    with pytest.raises(EngineError, match="no sign"):
        with_words(tmp_path).prompt([{"role": "user", "content": "?"}])


def test_a_training_that_goes_on_tomorrow_has_the_date_of_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    with_words(tmp_path, chat_template=DATED)

    def engine_on(day: int) -> InProcessEngine:
        monkeypatch.setattr(learning, "now", lambda: datetime(2026, 11, day, 23, 59))
        return InProcessEngine({"one": PolicySpec("small")}, seed=0)

    today = engine_on(22)
    prompt = today.prompt("one", CHAT)
    assert today.text("one", prompt) == "aa|"
    today.save(tmp_path / "state")
    tomorrow = engine_on(23)
    assert tomorrow.text("one", tomorrow.prompt("one", CHAT)) == "ab|"
    tomorrow.load(tmp_path / "state")
    assert tomorrow.prompt("one", CHAT) == prompt
    tomorrow.save(tmp_path / "later")
    after = engine_on(24)
    after.load(tmp_path / "later")
    assert after.prompt("one", CHAT) == prompt
    assert today.prompt("one", CHAT) == prompt, "also past midnight, in one process"


def test_a_state_of_before_dates_were_kept_is_still_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    with_words(tmp_path)
    made = InProcessEngine({"one": PolicySpec("small")}, seed=0)
    made.publish("one")
    made.save(tmp_path / "state")
    file = tmp_path / "state" / learning.STATE
    file.write_text(json.dumps(json.loads(file.read_text())["policies"]))
    again = InProcessEngine({"one": PolicySpec("small")}, seed=0)
    again.load(tmp_path / "state")
    assert again.learning("one").version == 1


def test_adapters_learn_on_a_model_of_16_bits(nano: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "cpu_prefers_16_bits", lambda shape: True)
    engine = InProcessEngine({"one": PolicySpec("nano", rank=4)}, seed=3)
    policy = engine.learning("one").policy
    assert policy.model.dtype == torch.bfloat16
    assert {each.dtype for each in policy.learned.values()} == {torch.float32}
    prompt = engine.prompt("one", [{"role": "user", "content": "AaaSab.acG|"}])
    (samples,) = engine.sample("one", [prompt], 8, Sampling(max_tokens=6, seed=5))
    before = engine.logprobs("one", samples)
    for sample, told in zip(samples, before, strict=True):
        assert told == pytest.approx(sample.logprobs, abs=0.1)
    for _ in range(20):
        batch = [Weighted(each, (-1.0) ** at) for at, each in enumerate(samples)]
        engine.forward_backward("one", batch, LossOptions())
        engine.optim_step("one", 1e-3)
    after = engine.logprobs("one", samples)
    change = [sum(now) - sum(then) for now, then in zip(after, before, strict=True)]
    assert sum(change[::2]) > 0 > sum(change[1::2])


def test_with_16_bits_tokens_weigh_as_much_as_the_sampler_is_off(
    nano: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice at most. And where it is far off, nothing is learned."""
    monkeypatch.setattr(models, "cpu_prefers_16_bits", lambda shape: True)
    engine = InProcessEngine({"one": PolicySpec("nano", rank=4)}, seed=3)
    own = engine.learning("one")
    prompt = engine.prompt("one", [{"role": "user", "content": "AaaSab.acG|"}])
    ((sample,),) = engine.sample("one", [prompt], 1, Sampling(max_tokens=6, seed=5))
    (here,) = engine.logprobs("one", [sample])

    def gradient(off: float) -> torch.Tensor:
        told = replace(sample, logprobs=tuple(each - off for each in here))
        engine.forward_backward("one", [Weighted(told, 1.0)], LossOptions())
        grads = [
            each.grad.flatten() for each in own.policy.learned.values() if each.grad is not None
        ]
        own.optimiser.forget()
        return torch.cat(grads)

    with pytest.raises(EngineError, match=r"differ by 0.2 a token. The limit is 0.1") as raised:
        gradient(0.2)
    assert "“exact”" in raised.value.remedy
    assert engine.optim_step("one", 1.0) == 0, "its gradient is gone"
    engine.publish("one")  # so that the sample is older, and no mismatch
    plain = gradient(0.0)
    assert plain.abs().max() > 0
    assert torch.allclose(gradient(1.0986), 2 * plain, rtol=1e-2)
    assert torch.allclose(gradient(-0.6931), plain / 2, rtol=1e-2)


def test_with_16_bits_later_updates_are_relative_to_the_weights_that_sampled(
    nano: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "cpu_prefers_16_bits", lambda shape: True)
    engine = InProcessEngine({"one": PolicySpec("nano", rank=4)}, seed=3)
    prompt = engine.prompt("one", [{"role": "user", "content": "AaaSab.acG|"}])
    (samples,) = engine.sample("one", [prompt], 8, Sampling(max_tokens=6, seed=5))
    batch = [Weighted(each, (-1.0) ** at) for at, each in enumerate(samples)]
    first = engine.forward_backward("one", batch, LossOptions())
    engine.learning("one").optimiser.forget()
    assert first.clipped == 0, "rounding is no change of the policy"
    for _ in range(4):
        engine.forward_backward("one", batch, LossOptions())
        engine.optim_step("one", 1e-1)
    later = engine.forward_backward("one", batch, LossOptions())
    assert later.clipped > 0
    assert later.mismatch == pytest.approx(first.mismatch, abs=1e-4), "of those that sampled"


def test_an_exact_policy_has_32_bits(nano: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "cpu_prefers_16_bits", lambda shape: True)
    specs = {"one": PolicySpec("nano", rank=4, exact=True)}
    assert load_policies(specs, seed=0)["one"].model.dtype == torch.float32


LLAMA = """
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- endif %}
{%- endif %}
{%- set how = "%-d.%m.%y" %}
  Today Date: {{ date_string }}, {{ strftime_now(how) }}
{% for message in messages %}{{ message.content }}{% endfor %}"""


@pytest.mark.parametrize("template", [LLAMA, f"\n\n {LLAMA}", "{{ messages[0].content }}"])
def test_a_date_changes_nothing_else_of_a_template(template: str) -> None:
    chats = [[dict(message) for message in CHAT]]
    given = datetime(2026, 3, 5)
    (plain,), _ = render_jinja_template(chats, chat_template=template)
    (fixed,), _ = render_jinja_template(chats, chat_template=dated(template, given))
    today = datetime.now()
    expected = plain.replace(today.strftime("%d %b %Y"), "05 Mar 2026")
    assert fixed == expected.replace(today.strftime("%-d.%m.%y"), "5.03.26")
    assert ("05 Mar 2026, 5.03.26" in fixed) is ("Today" in template)
