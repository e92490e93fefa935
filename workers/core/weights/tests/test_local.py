"""Which models of the folder are offered, and how large they are."""

from pathlib import Path

from safetensors.torch import load_file

from workers.core.weights.files import WEIGHTS
from workers.core.weights.local import local_models
from workers.core.weights.tests.tiny import save_tiny


def test_language_models_are_listed_with_their_size_after_nano(models: Path) -> None:
    save_tiny(models / "judge", "sequence")
    (models / "broken").mkdir()
    (models / "broken" / "config.json").write_text("{")
    (models / "empty").mkdir()
    small, tiny = local_models()
    assert (small.name, small.parameters, small.trained_bytes) == ("nano", None, None)
    tensors = load_file(models / "tiny" / WEIGHTS)
    size = sum(tensor.numel() for tensor in tensors.values())
    assert (tiny.name, tiny.parameters) == ("tiny", size)
    assert (tiny.frozen_bytes, tiny.trained_bytes) == (4 * size, 20 * size)


def test_a_header_longer_than_the_file_is_no_model(models: Path) -> None:
    (models / "tiny" / WEIGHTS).write_bytes(b"\xff" * 8)
    assert [model.name for model in local_models()] == ["nano"]
