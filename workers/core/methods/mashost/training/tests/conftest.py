from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from torch import Tensor

from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.events import Event
from workers.core.methods.mashost.training.tests.over_http import Trainer
from workers.core.testing.stub_process import RunningStub, running_stub


@pytest.fixture
def train(tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder) -> Trainer:
    return Trainer(tmp_path, stub.url, embedder)


@dataclass(frozen=True, slots=True)
class Whole:
    """A training that nothing interrupted."""

    events: list[Event]
    train: Trainer

    @classmethod
    def of(cls, folder: Path, embedder: MiniLMEmbedder, **config: Any) -> Whole:
        with running_stub(models=()) as stub, ThreadPoolExecutor(1) as own_loop:
            train = Trainer(folder, stub.url, embedder)
            return cls(own_loop.submit(asyncio.run, train(config=config)).result(), train)

    def checkpoint(self, step: int) -> Path:
        return self.train.checkpoint("job", step)

    def weights(self, step: int) -> dict[str, Tensor]:
        return self.train.weights("job", step)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLMEmbedder) -> Whole:
    """It has a checkpoint of every step."""
    return Whole.of(tmp_path_factory.mktemp("whole"), embedder, checkpoint_every=1)
