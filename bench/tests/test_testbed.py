"""The benchmark that trains on the testbed, with almost no training."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import testbed


def test_its_last_line_is_what_the_table_is_made_of_and_a_second_run_trains_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    curves = tmp_path / "curves.jsonl"
    asked = ["testbed", "--seeds", "3,", "--queries", "16", "--only", "studio;paper"]
    monkeypatch.setattr("sys.argv", [*asked, "--curves", str(curves)])
    testbed.main()
    first = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert first["bench"] == "testbed"
    assert -1 <= first["share_of_optimum"] <= 1
    assert -1 <= first["paper_share"] <= 1
    assert first["queries"] == 16
    assert isinstance(first["ablations"], dict)
    trained = curves.read_text()
    assert len(trained.splitlines()) == 2  # one seed of each
    testbed.main()
    again = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert again["share_of_optimum"] == first["share_of_optimum"]
    assert curves.read_text() == trained


def test_every_configuration_is_one_that_trains() -> None:
    for name in testbed.ALL:
        settings = testbed.Trial.of(name, 0, 16).settings
        assert settings["steps"] * settings["queries_per_step"] == 16
    assert set(testbed.CONFIGURATIONS) >= {"studio", "paper", "paper, no JPSS", "studio, no lag"}
