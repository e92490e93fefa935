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
    ("kind", "given"),
    [
        ("Mpt", {"d_model": 16, "n_heads": 2, "n_layers": 2}),  # counts positions itself
        ("Falcon", {"alibi": True}),  # takes no mask of its own
        ("Rwkv", {"attention_hidden_size": 16}),  # keeps a state along the row
        ("Mistral", {"sliding_window": 4}),  # forgets within the probe
    ],
)
def test_a_model_that_reads_answers_together_otherwise_than_alone_is_not_trained(
    kind: str, given: dict[str, Any], small: Path
) -> None:
    of_kind(small, kind, **given)
    with pytest.raises(MethodError, match="of answers that are computed together") as raised:
        engine()
    assert raised.value.code == "model_not_trainable"


@pytest.mark.parametrize("kind", ["Qwen3", "Olmo2", "GPTNeoX", "OPT"])
def test_usual_models_are_trained(kind: str, small: Path) -> None:
    of_kind(small, kind, **({"word_embed_proj_dim": 16} if kind == "OPT" else {}))
    assert engine().policies


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
