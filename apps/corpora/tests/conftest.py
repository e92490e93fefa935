from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from apps.corpora.services import corpus_load
from apps.corpora.sources.base import About, Found, Report, Skipped
from apps.corpora.vectors import QUERIES


@dataclass
class Listed:
    """A source of what a test lists."""

    documents: list[Found | Skipped]
    about: About

    @property
    def total(self) -> int:
        return len(self.documents)

    def read(self) -> Iterator[Found | Skipped]:
        return iter(self.documents)


Load = Callable[..., Report]


@pytest.fixture
def load(db: None) -> Load:
    """Loads these documents as the corpus `birds`, or another."""

    def loaded(*documents: Found | Skipped, key: str = "birds") -> Report:
        about = About(key, key.title(), "a test", licence="CC0")
        return corpus_load(Listed(list(documents), about), lambda done, total: None)

    return loaded


@pytest.fixture
def no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """As while the model is being loaded."""
    monkeypatch.setattr(QUERIES, "ready_vector", lambda query: None)
