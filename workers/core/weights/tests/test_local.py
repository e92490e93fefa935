"""Which models of the folder are offered, and how large they are."""

from pathlib import Path

import pytest
from safetensors.torch import load_file
from transformers import GPT2Config, GPT2LMHeadModel

from workers.core.weights.files import WEIGHTS
from workers.core.weights.local import known_shape, local_models
from workers.core.weights.nano import NAME, NanoConfig, make_nano, parameters
from workers.core.weights.tests.tiny import save_tiny


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Not the folder that all tests share: these change it."""
    save_tiny(tmp_path / "tiny")
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    return tmp_path


def test_language_models_are_listed_with_their_size_after_nano(models: Path) -> None:
    save_tiny(models / "judge", "sequence")
    (models / "broken").mkdir()
    (models / "broken" / "config.json").write_text("{")
    (models / "empty").mkdir()
    GPT2LMHeadModel(GPT2Config(n_embd=8, n_layer=1, n_head=2)).save_pretrained(models / "other")
    small, other, tiny = local_models()
    assert other.name == "other"
    assert (small.name, small.parameters) == ("nano", parameters())
    tensors = load_file(models / "tiny" / WEIGHTS)
    size = sum(tensor.numel() for tensor in tensors.values())
    assert (tiny.name, tiny.parameters) == ("tiny", size)


def test_a_header_longer_than_the_file_is_no_model(models: Path) -> None:
    (models / "tiny" / WEIGHTS).write_bytes(b"\xff" * 8)
    assert [model.name for model in local_models()] == ["nano"]


def test_the_shape_of_nano_is_known_before_it_is_made(models: Path) -> None:
    before = known_shape(NAME)
    make_nano(models / NAME, NanoConfig(), seed=0)
    assert known_shape(NAME) == before != known_shape("tiny")
    assert known_shape("owner/absent") is None


def test_the_size_of_nano_is_known_before_it_is_made(models: Path) -> None:
    config = NanoConfig(layers=3, width=32, heads=2, rows=3)
    make_nano(models / NAME, config, seed=0)
    assert local_models()[0].parameters == parameters(config)
