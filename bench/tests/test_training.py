"""The benchmark of a training's use of its endpoint, with almost no training."""

from __future__ import annotations

import json

import pytest

from bench import training


def test_its_last_line_says_how_busy_the_endpoint_was_with_lag_and_without(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "QUERIES_PER_STEP", 2)
    monkeypatch.setattr(training, "SYSTEMS_PER_QUERY", 2)
    asked = ["training", "--steps", "2", "--latency", "0.05", "--concurrency", "1"]
    monkeypatch.setattr("sys.argv", asked)
    training.main()
    said = capsys.readouterr().out
    assert "lag 1" in said
    assert "lag 0" in said
    found = json.loads(said.strip().splitlines()[-1])
    assert found["bench"] == "training"
    assert 0 < found["utilisation"] <= 1
    assert 0 < found["utilisation_without_lag"] <= 1
    assert found["cpu_ms_per_request"] > 0
