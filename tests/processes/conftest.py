"""One studio for the whole folder; each test finds all its processes alive."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest

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
    """A database of its own, dropped at the end."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    name = f"processes_{uuid4().hex[:8]}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield urlunsplit(parts._replace(path=f"/{name}"))
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def _studio(
    tmp_path_factory: pytest.TempPathFactory, database_url: str, llm: RunningStub
) -> Iterator[Studio]:
    studio = Studio(Path(tmp_path_factory.mktemp("studio")), database_url)
    try:
        studio.prepare(llm.url)
        yield studio
    finally:
        studio.stop()


@pytest.fixture
def studio(_studio: Studio) -> Studio:
    _studio.ensure()
    return _studio
