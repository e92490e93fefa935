"""A stub LLM that calculates, and the real embedder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.testing.stub_process import RunningStub, running_stub


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    with running_stub(models=()) as running:
        yield running


@pytest.fixture(scope="module")
def embedder() -> Iterator[MiniLMEmbedder]:
    made = MiniLMEmbedder()
    yield made
    made.close()
