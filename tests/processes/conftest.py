"""One studio for the whole folder; each test finds all its processes alive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes.database import own_database
from tests.processes.studio import Studio
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_settings import Rule

WORDS = " ".join(f"word{number}" for number in range(70))


@pytest.fixture(scope="session")
def llm() -> Iterator[RunningStub]:
    """Streams 4 characters every 30 ms. “[slow]” takes about 4 s, “[stuck]” for ever."""
    rules = (Rule("[slow]", f"{WORDS}\nAnswer: 2"), Rule("[stuck]", latency=600.0))
    with running_stub(chunk_latency=0.03, rules=rules) as stub:
        yield stub


@pytest.fixture(scope="session")
def database_url() -> Iterator[str]:
    with own_database("processes") as url:
        yield url


@pytest.fixture(scope="session")
def _studio(
    tmp_path_factory: pytest.TempPathFactory, database_url: str, llm: RunningStub
) -> Iterator[Studio]:
    studio = Studio(Path(tmp_path_factory.mktemp("studio")), database_url, asks_anew=True)
    try:
        studio.prepare(llm.url)
        yield studio
    finally:
        studio.stop()


@pytest.fixture
def studio(_studio: Studio) -> Studio:
    _studio.ensure()
    return _studio
