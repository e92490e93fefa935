"""What tests of the core use: a stub LLM and the real embedder."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.tools.sandbox import sandbox_status


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    """A stub that answers arithmetic correctly and everything else deterministically."""
    with running_stub(models=()) as running:
        yield running


@pytest.fixture(scope="session")
def sandbox() -> None:
    """For tests that run programs in the real sandbox."""
    ok, detail = sandbox_status()
    if not ok:
        pytest.skip(f"no sandbox here: {detail}")


@pytest.fixture(scope="session")
def embedder() -> Iterator[MiniLMEmbedder]:
    made = MiniLMEmbedder()
    yield made
    made.close()


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of local models, with one that writes."""
    from workers.core.weights.tests.tiny import save_tiny

    folder = tmp_path_factory.mktemp("models")
    save_tiny(folder / "tiny")
    return folder


@pytest.fixture(scope="session")
def nano_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of local models, with a nano model that is smaller still. It has seen the form of a
    way: adapters of a model that knows nothing would learn nothing. It also goes by another name
    there."""
    from workers.core.rollouts.tests.taught import TAUGHT, teach_ways
    from workers.core.weights.nano import NAME, NanoConfig, make_nano

    folder = tmp_path_factory.mktemp("models")
    make_nano(folder / NAME, NanoConfig(layers=2, width=32, heads=2, rows=4), seed=0)
    teach_ways(folder / NAME)
    shutil.copytree(folder / NAME, folder / TAUGHT)
    return folder


@pytest.fixture
def nano(nano_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(nano_folder))
    return nano_folder


@pytest.fixture
def models(tiny_models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tiny_models))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    return tiny_models
