"""The benchmark of a training's use of its endpoint, with almost no training."""

from bench import training
from bench.tests.conftest import Ran


def test_its_last_line_says_how_busy_the_endpoint_was_with_lag_and_without(ran: Ran) -> None:
    sizes = ["--steps", "2", "--queries", "2", "--systems", "2"]
    found, said = ran(training.main, *sizes, "--latency", "0.05", "--concurrency", "1")
    assert "lag 1" in said
    assert "lag 0" in said
    assert found["bench"] == "training"
    assert 0 < found["utilisation"] <= 1
    assert 0 < found["utilisation_without_lag"] <= 1
    assert found["cpu_ms_per_request"] > 0
