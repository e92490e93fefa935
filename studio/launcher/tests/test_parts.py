"""What the processes of `up` are told."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.launcher.folder import SETTING, Folder
from studio.launcher.parts import studio
from studio.launcher.settings import UpOptions


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound


def told(folder: Path, listening: socket.socket) -> dict[str, str]:
    data = Folder(folder)
    data.make()
    return studio(data, UpOptions(), listening).shared


def test_agents_search_the_studios_own_corpora(
    tmp_path: Path, listening: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SEARCH_URL", raising=False)
    shared = told(tmp_path, listening)
    corpora = f"http://127.0.0.1:{listening.getsockname()[1]}/corpus"
    assert shared["SEARCH_URL"] == shared["STUDIO_CORPUS_URL"] == corpora
    assert shared["SEARCH_ALLOW_PRIVATE"] == "1"
    assert all(SETTING.match(name) for name in ("SEARCH_URL", "STUDIO_CORPUS_URL"))


def test_agents_search_what_a_person_names(
    tmp_path: Path, listening: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARCH_URL", "https://search.example")
    monkeypatch.delenv("SEARCH_ALLOW_PRIVATE", raising=False)
    shared = told(tmp_path, listening)
    assert shared["SEARCH_URL"] == "https://search.example"
    assert "SEARCH_ALLOW_PRIVATE" not in shared
    assert shared["STUDIO_CORPUS_URL"].endswith("/corpus")
