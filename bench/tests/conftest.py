"""Benchmarks run to their end in a test's own process."""

import json
from collections.abc import Callable
from typing import Any

import pytest

Ran = Callable[..., tuple[dict[str, Any], str]]


@pytest.fixture
def ran(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ran:
    """Runs a `main` with options; its last line, which is JSON, and all that it printed."""

    def run(main: Callable[[], None], *options: str) -> tuple[dict[str, Any], str]:
        monkeypatch.setattr("sys.argv", ["bench", *options])
        main()
        said = capsys.readouterr().out
        return json.loads(said.strip().splitlines()[-1]), said

    return run
