"""Which models an update can be computed of."""

import json
from pathlib import Path
from typing import Any

import pytest
import transformers

from workers.core.errors import MethodError
from workers.core.rollouts.base import EngineError, LossOptions, Sampling, Weighted, demonstration
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import PolicySpec, load_policies
from workers.core.rollouts.trainable import _alone
from workers.core.weights.nano import NanoConfig, make_nano, vocabulary_of

COMMON = {
    "vocab_size": len(vocabulary_of(3)),
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "pad_token_id": 0,
    "initializer_range": 0.5,
}
TAKES_NO_MASK = "can't compute several answers in one row, where an update says which token sees"
OTHERWISE = "computed together as of each alone. Log-probabilities differ by"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of local models, with a small one."""
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    make_nano(tmp_path / "small", NanoConfig(layers=1, width=16, heads=2, rows=3), seed=0)
    return tmp_path / "small"


def engine() -> InProcessEngine:
    return InProcessEngine({"one": PolicySpec("small")}, seed=0)


def of_kind(folder: Path, kind: str, **settings: Any) -> None:
    """Puts a model of this kind, with random weights, in the small one's place."""
    config = getattr(transformers, f"{kind}Config")(**COMMON, **settings)
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)


@pytest.mark.parametrize(
    ("setting", "plain", "other"),
    [
        ("final_logit_softcapping", None, 30.0),
        ("logits_scaling", 1.0, 8.0),
        ("logit_scale", 1, 0.06),
    ],
)
def test_a_model_that_changes_its_logits_is_not_trained(
    setting: str, plain: object, other: object, small: Path
) -> None:
    """An update would learn from other probabilities than those that were sampled from."""
    described = small / "config.json"
    config = json.loads(described.read_text())
    described.write_text(json.dumps(config | {setting: plain}))
    assert engine().policies
    described.write_text(json.dumps(config | {setting: other}))
    with pytest.raises(MethodError, match=setting) as raised:
        engine()
    assert raised.value.code == "logits_not_plain"
    assert load_policies({"one": PolicySpec("small")}, seed=0), "it can be asked"


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        # Counts positions itself.
        ("Mpt", {"d_model": 16, "n_heads": 2, "n_layers": 2}, OTHERWISE),
        ("Falcon", {"alibi": True}, TAKES_NO_MASK),
        ("Bloom", {}, TAKES_NO_MASK),
        ("CodeGen", {"rotary_dim": 4}, TAKES_NO_MASK),
        # Keeps a state along the row.
        ("Rwkv", {"attention_hidden_size": 16}, OTHERWISE),
        # Forgets within the probe.
        ("Mistral", {"sliding_window": 4}, OTHERWISE),
    ],
)
def test_a_model_that_reads_answers_together_otherwise_than_alone_is_not_trained(
    kind: str, given: dict[str, Any], said: str, small: Path
) -> None:
    of_kind(small, kind, **given)
    with pytest.raises(MethodError, match=said) as raised:
        engine()
    assert raised.value.code == "model_not_trainable"


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("Qwen3", {}),
        ("Olmo2", {}),
        ("GPTNeoX", {}),
        # Their positions are learned vectors.
        ("OPT", {"word_embed_proj_dim": 16}),
        ("GPT2", {"bos_token_id": 1, "eos_token_id": 2}),
        ("GPTBigCode", {}),
    ],
)
@pytest.mark.parametrize("rank", [0, 4])
def test_usual_models_are_trained(kind: str, given: dict[str, Any], rank: int, small: Path) -> None:
    """What they sample has the probabilities that an update sees, and those of a plain pass."""
    of_kind(small, kind, **given)
    made = InProcessEngine({"one": PolicySpec("small", rank=rank)}, seed=0)
    prompts = [(3, 9, 8, 7, 12), (4, 9)]
    for _ in range(2):
        groups = made.sample("one", prompts, 4, Sampling(8, seed=0))
        samples = [sample for group in groups for sample in group]
        plain = [_alone(made.learning("one").policy.model, (s.prompt, s.tokens)) for s in samples]
        for sample, told, alone in zip(samples, made.logprobs("one", samples), plain, strict=True):
            assert sample.logprobs == pytest.approx(told, abs=1e-4)
            assert sample.logprobs == pytest.approx(alone.tolist(), abs=1e-4)
        batch = [Weighted(each, (-1.0) ** at) for at, each in enumerate(samples)]
        assert made.forward_backward("one", batch, LossOptions()).mismatch < 1e-4
        assert made.optim_step("one", 1e-2) > 0
        made.publish("one")


@pytest.mark.parametrize(
    ("given", "takes"),
    [
        ({"max_position_embeddings": 40}, 40),
        ({"max_position_embeddings": 512, "sliding_window": 40}, 40),
        ({"max_position_embeddings": 512, "sliding_window": None}, 512),
    ],
)
def test_a_text_that_the_model_does_not_see_as_a_whole_is_refused(
    given: dict[str, Any], takes: int, small: Path
) -> None:
    of_kind(small, "Mistral", **given)
    made, prompt = engine(), (3,) * 30
    assert made.sample("one", [prompt], 1, Sampling(takes - 30, seed=0))
    told = f"{takes + 1} tokens together, and the model takes {takes}"
    with pytest.raises(EngineError, match=told):
        made.sample("one", [prompt], 1, Sampling(takes - 29, seed=0))
    shown = demonstration(prompt, (3,) * (takes - 29))
    with pytest.raises(EngineError, match=told) as raised:
        made.forward_backward("one", [Weighted(shown, 1.0)], LossOptions())
    assert "fewer tokens" in raised.value.remedy
