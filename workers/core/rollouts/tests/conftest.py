"""Engines with two policies of a nano model."""

from pathlib import Path

import pytest

from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import PolicySpec


@pytest.fixture(params=["adapters", "weights"])
def engine(request: pytest.FixtureRequest, nano: Path) -> InProcessEngine:
    """Two policies: adapters of one model, or a model each."""
    return made(rank=4 if request.param == "adapters" else 0)


def made(*, rank: int) -> InProcessEngine:
    spec = PolicySpec("nano", rank=rank)
    return InProcessEngine({"tool": spec, "plan": spec}, seed=3)
