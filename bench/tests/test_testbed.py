"""The benchmark that trains on the testbed, with almost no training."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench import testbed
from bench.common.testbed.optimum import Score
from bench.common.testbed.trial import Point, Trained
from bench.testbed import Trial
from bench.tests.conftest import Ran


def test_its_last_line_is_what_the_table_is_made_of_and_a_second_run_trains_nothing(
    tmp_path: Path, ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Few teams, and one process: each makes a world and imports torch.
    monkeypatch.setattr(testbed, "NETWORK", testbed.NETWORK | {"systems_per_query": 12})
    curves = tmp_path / "curves.jsonl"
    names = "studio;paper;paper, no prior at all"
    sizes = ["--seeds", "3,", "--queries", "16", "--processes", "1"]
    asked = (*sizes, "--only", names, "--curves", str(curves))
    first, _ = ran(testbed.main, *asked)
    assert first["bench"] == "testbed"
    assert -1 <= first["share_of_optimum"] <= 1
    assert -1 <= first["paper_share"] <= 1
    assert first["queries"] == 16
    assert 0.9 < first["blind_share"] < 1
    assert set(first["ablations"]) == {"paper, no prior at all"}
    assert 0 < first["seconds"]["studio"] < 600
    assert first["worst"]["studio"] == first["share_of_optimum"]
    assert first["medians"]["paper"] == first["paper_share"]
    assert set(first["last_of_one"]) == set(names.split(";"))
    assert (first["training_visits"], first["selection_visits"]) == (2 * 16, 2 * 16)
    with curves.open("a") as lines:
        lines.write(json.dumps({"name": "studio", "seed": 3, "code": "of another version"}) + "\n")
    trained = curves.read_text()
    assert len(trained.splitlines()) == 6 + 1  # two members of one seed of each
    again, _ = ran(testbed.main, *asked)
    assert again["share_of_optimum"] == first["share_of_optimum"]
    assert curves.read_text() == trained


def test_every_configuration_is_valid() -> None:
    for name in testbed.ALL:
        settings = testbed.Trial.of(name, 0, 16).settings
        assert settings["steps"] * settings["queries_per_step"] == 16
    assert set(testbed.CONFIGURATIONS) >= {"studio", "paper", "paper, no JPSS"}
    assert set(testbed.SWEEPS["changes"]) >= {"studio", "studio, no lag"}


def test_of_each_seed_the_member_counts_that_earned_most_in_training() -> None:
    def result(seed: int, member: int, *, earned: float, share: float) -> tuple[Trial, Trained]:
        score = Score(reward=share, accuracy=share, tokens=100.0)
        test = Point(16, share, score, agents=2.0, entropy=1.0, seconds=1.0)
        last = replace(test, share=share / 2)
        trial = Trial.of("studio", seed, 16, member=member)
        return trial, Trained([test, last], earned, test, last, seconds=10.0 + member)

    trained = [
        result(5, 1, earned=0.5, share=0.8),
        result(5, 0, earned=0.4, share=0.9),
        result(4, 0, earned=0.3, share=0.5),
        result(4, 1, earned=0.2, share=0.7),
    ]
    seeds = testbed.outcomes(trained, "studio")
    assert [seed.chosen.share for seed in seeds] == [0.5, 0.8]
    assert [seed.last.share for seed in seeds] == [0.25, 0.45]  # of the first member, unchosen
    assert [seed.points for seed in seeds] == [4, 4]
    assert [seed.seconds for seed in seeds] == [11.0, 11.0]  # they run side by side
    assert testbed.outcomes(trained, "paper") == []
