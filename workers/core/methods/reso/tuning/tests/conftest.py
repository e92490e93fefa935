from __future__ import annotations

from pathlib import Path

import pytest

from workers.core.methods.reso.tuning.tests.tiny import save_tiny


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of local models, with one that writes."""
    folder = tmp_path_factory.mktemp("models")
    save_tiny(folder / "tiny")
    return folder


@pytest.fixture
def models(tiny_models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tiny_models))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    return tiny_models
