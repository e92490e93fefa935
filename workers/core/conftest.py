"""What tests of the core use: a stub LLM and the real embedder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.testing.stub_process import RunningStub, running_stub


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    """A stub that answers arithmetic correctly and everything else deterministically."""
    with running_stub(models=()) as running:
        yield running


@pytest.fixture(scope="session")
def embedder() -> Iterator[MiniLMEmbedder]:
    made = MiniLMEmbedder()
    yield made
    made.close()
