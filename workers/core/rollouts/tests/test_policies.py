"""Which models can be policies."""

import json
from pathlib import Path

import pytest

from workers.core.errors import MethodError
from workers.core.rollouts.policies import PolicySpec, load_policies
from workers.core.weights.nano import NanoConfig, make_nano


@pytest.mark.parametrize(
    ("setting", "plain", "other"),
    [
        ("final_logit_softcapping", None, 30.0),
        ("logits_scaling", 1.0, 8.0),
        ("logit_scale", 1, 0.06),
    ],
)
def test_a_model_that_changes_its_logits_is_refused(
    setting: str, plain: object, other: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An update would learn from other probabilities than those that were sampled from."""
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    make_nano(tmp_path / "small", NanoConfig(layers=1, width=16, heads=2, rows=3), seed=0)
    described = tmp_path / "small" / "config.json"
    config = json.loads(described.read_text())
    described.write_text(json.dumps(config | {setting: plain}))
    assert load_policies({"one": PolicySpec("small")}, seed=0)
    described.write_text(json.dumps(config | {setting: other}))
    with pytest.raises(MethodError, match=setting) as raised:
        load_policies({"one": PolicySpec("small")}, seed=0)
    assert raised.value.code == "logits_not_plain"
