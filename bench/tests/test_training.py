"""The benchmark of a training's use of its endpoint, with almost no training."""

from __future__ import annotations

import json

import pytest

from bench import training


def test_its_last_line_says_how_busy_the_endpoint_was_with_lag_and_without(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = ["--steps", "2", "--queries", "2", "--systems", "2"]
    monkeypatch.setattr("sys.argv", ["training", *sizes, "--latency", "0.05", "--concurrency", "1"])
    training.main()
    said = capsys.readouterr().out
    assert "lag 1" in said
    assert "lag 0" in said
    found = json.loads(said.strip().splitlines()[-1])
    assert found["bench"] == "training"
    assert 0 < found["utilisation"] <= 1
    assert 0 < found["utilisation_without_lag"] <= 1
    assert found["cpu_ms_per_request"] > 0
