"""Engines with two policies of a nano model."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from workers.core.rollouts.base import PolicyEngine
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import PolicySpec
from workers.core.rollouts.vllm.engine import Servers, VllmEngine
from workers.core.rollouts.vllm.tests.served import served

REAL = "STUDIO_TEST_VLLM"
"""The address of a real vLLM server that serves the nano model of STUDIO_MODELS_DIR. Engines of
vLLM are then tested on it (bin/studio bench vllm)."""

Make = Callable[[], PolicyEngine]


@pytest.fixture(params=["adapters", "weights", "muon", "vllm"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Two policies: adapters of one model, or a model each, by either optimiser."""
    real = os.environ.get(REAL)
    if not real:
        request.getfixturevalue("nano")
    if request.param != "vllm":
        spec = {
            "adapters": PolicySpec("nano", rank=4),
            "weights": PolicySpec("nano"),
            "muon": PolicySpec("nano", optimiser="muon"),
        }[request.param]
        yield lambda: InProcessEngine({"tool": spec, "plan": spec}, seed=3)
    elif real:
        yield lambda: on_vllm(real, tmp_path)
    else:
        with served() as server:
            yield lambda: on_vllm(server.url, tmp_path)


@pytest.fixture
def engine(make: Make) -> Iterator[PolicyEngine]:
    made = make()
    yield made
    made.close()


def on_vllm(url: str, folder: Path) -> VllmEngine:
    spec = PolicySpec("nano", rank=8)
    number = len(list(folder.glob("published-*")))
    servers = Servers((url,), folder / f"published-{number}", f"test{number}")
    servers.folder.mkdir()
    return VllmEngine({"tool": spec, "plan": spec}, seed=3, servers=servers)


def tolerance(engine: PolicyEngine) -> float:
    """Of a log-probability, sampled and as the trainer sees it. In process they are the same."""
    return 1e-5 if cast(InProcessEngine, engine).samples_itself else 1e-3
