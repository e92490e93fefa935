"""The benchmark of MetaAgent-X with almost no training."""

import json
from pathlib import Path

import pytest

from bench import metaagentx
from bench.tests.conftest import Ran

SMALL = ("cold_questions=2", "questions_per_step=2", "designs=2", "executions=1")


def test_it_tells_each_arm_and_trains_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ran: Ran
) -> None:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path / "models"))
    monkeypatch.setattr(metaagentx, "TEST_QUERIES", 24)
    monkeypatch.setattr(metaagentx, "TRAINING_QUERIES", 12)
    folder = tmp_path / "kept"
    arguments = ["--seeds", "1", "--steps", "1", "--cold", "1", "--folder", str(folder)]
    arguments += ["--arms", *metaagentx.ARMS]
    arguments += [part for each in SMALL for part in ("--set", each)]
    first, said = ran(metaagentx.main, *arguments)
    second, _ = ran(metaagentx.main, *arguments)
    assert first["bench"] == "metaagentx"
    for name in ("share_of_optimum", "runnable", "stagewise_minus_joint", "seconds", "shares"):
        assert first[name] == second[name]
    assert 0.6 < first["fixed"] < 0.7
    assert "designer frozen" in said
    made = {file.parent.name for file in folder.glob("seed-10/*/bench.json")}
    assert made == metaagentx.ARMS.keys() - {"untrained"}
    curves = json.loads((folder / "seed-10" / "joint" / "bench.json").read_text())["curves"]
    assert {"correct", "scripts_run"} <= curves["1"].keys()
