"""The benchmark that trains EvoMAS's adapter in a world of stages, with almost no training."""

import pytest

from bench import evomas
from bench.tests.conftest import Ran


def test_its_last_line_is_what_the_table_is_made_of(
    ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tasks in ("TEST_TASKS", "TRAINING_TASKS"):  # fewer sentences to embed
        monkeypatch.setattr(evomas, tasks, 60)
    found, said = ran(evomas.main, "--seeds", "1", "--steps", "2", "--tasks", "2")
    assert found["bench"] == "evomas"
    assert 0 <= found["share_of_optimum"] <= 1
    assert 0 <= found["blind"] <= 1
    assert found["worst"] == found["share_of_optimum"]
    assert 0.4 < found["fixed"] < 0.7
    assert (found["seeds"], found["blind_best"]) == (1, found["blind"])
    assert 0 < found["untrained"] < 1
    assert found["fixed"] < found["probe"] < 1
    assert "Best fixed workflow" in said
