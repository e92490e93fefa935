"""Which models can be policies."""

import json
from pathlib import Path

import pytest

from workers.core.rollouts.base import EngineError
from workers.core.rollouts.policies import Policy, PolicySpec, load_policies
from workers.core.weights.nano import NanoConfig, make_nano

CHAT = ({"role": "system", "content": "You propose."}, {"role": "user", "content": "AaaSab.acG"})
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
