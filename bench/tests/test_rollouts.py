"""The benchmark of rollouts on a model so small that it takes seconds."""

from pathlib import Path

import pytest

from bench import rollouts
from bench.tests.conftest import Ran
from workers.core.weights.nano import NAME, NanoConfig, make_nano


@pytest.mark.filterwarnings("ignore")
def test_it_measures_both_loops_and_both_updates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ran: Ran
) -> None:
    make_nano(tmp_path / NAME, NanoConfig(layers=1, width=16, heads=2), seed=0)
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    sizes = ["--rounds", "1", "--episodes", "2", "--branches", "2", "--answer", "3"]
    small = [*sizes, "--prompt", "12", "--steps", "1", "--model", str(tmp_path / NAME)]
    told, said = ran(rollouts.main, *small)
    assert told["bench"] == "rollouts"
    assert 0 < told["share_of_time_sampling"] < 1
    for figure in ("share_of_generate", "tokens_per_second", "branch_cost", "update_ratio"):
        assert told[figure] > 0
    assert "12 tokens, transformers" in said


def test_ratios_are_those_of_the_rounds() -> None:
    assert rollouts.ratio([2.0, 9.0, 4.0], [1.0, 3.0, 4.0]) == 2.0
