"""A nano model, made anew for each session, in the folder where models are found."""

from pathlib import Path

import pytest

from workers.core.rollouts.in_process import InProcessEngine, PolicySpec
from workers.core.rollouts.nano import NanoConfig, make_nano


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    make_nano(folder / "nano", NanoConfig(layers=2, width=32, heads=2), seed=0)
    return folder


@pytest.fixture(params=["adapters", "weights"])
def engine(
    request: pytest.FixtureRequest, models: Path, monkeypatch: pytest.MonkeyPatch
) -> InProcessEngine:
    """Two policies: adapters of one model, or a model each."""
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(models))
    return made(rank=4 if request.param == "adapters" else 0)


def made(*, rank: int) -> InProcessEngine:
    spec = PolicySpec("nano", rank=rank)
    return InProcessEngine({"tool": spec, "plan": spec}, seed=3)
