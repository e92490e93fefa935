"""The benchmark of AT-GRPO on boards so small that it takes seconds."""

import json
from pathlib import Path

import pytest

from bench import atgrpo
from workers.core.weights.nano import NAME, NanoConfig, make_nano

SMALL = ("cold_steps=2", "cold_episodes=4", "episodes_per_step=2", "branches=2", "max_tokens=6")


def test_it_tells_each_arm_and_trains_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_nano(tmp_path / NAME, NanoConfig(layers=1, width=16, heads=2, rows=4), seed=0)
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    folder = tmp_path / "kept"
    arguments = ["atgrpo", "--boards", '{"size": 4}', "--train", "12", "--test", "5"]
    arguments += ["--steps", "1", "--folder", str(folder), "--arms", *atgrpo.ARMS]
    arguments += [part for each in SMALL for part in ("--set", each)]
    monkeypatch.setattr("sys.argv", arguments)
    told = []
    for _ in range(2):
        atgrpo.main()
        told.append(json.loads(capsys.readouterr().out.strip().split("\n")[-1]))
    first, second = told
    assert first["bench"] == "atgrpo"
    for arm in (*atgrpo.ARMS, "seconds", "seconds_of"):
        assert first[arm] == second[arm]
    made = {file.parent.name for file in folder.glob("seed-0/*/bench.json")}
    assert made == atgrpo.ARMS.keys() - atgrpo.SAME.keys() - {"untrained", "one_untrained"}
