"""The benchmark of a planner's tuning, with a model of two layers."""

import json
from pathlib import Path

import pytest

from bench import planner
from bench.tests.conftest import Ran
from workers.core.methods.reso.planner import own_graph
from workers.core.methods.reso.tuning.tests.support import TASKS
from workers.core.weights.tests.tiny import save_tiny


def test_its_last_line_says_what_a_planner_writes_before_and_after(
    tmp_path: Path, ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_tiny(tmp_path / "tiny")
    monkeypatch.setenv("STUDIO_MODELS_DIR", "")  # as it was, after the test
    monkeypatch.setattr(planner, "TOKENS", 8)
    problems = tmp_path / "problems.jsonl"
    rows = [
        {"question": f"Tom has {n} pens and buys {n + 2}. How many?", "answer": f"#### {2 * n + 2}"}
        for n in range(1, 9)
    ]
    problems.write_text("\n".join(map(json.dumps, rows)))
    sizes = ["--learned", "2", "--held-out", "1", "--unseen", "2", "--nodes", "2", "--epochs", "1"]
    given = [str(tmp_path / "tiny"), "--problems", str(problems), *sizes]
    found, said = ran(planner.main, *given)
    assert "0 of 2 (0% to 66%)" in said
    assert found["bench"] == "planner"
    assert (found["steps"], found["usable_before"], found["usable_after"]) == (1, 0, 0)
    assert found["loss_first"] > 0
    assert found["held_out_loss"] > 0


def test_plans_count_where_reso_takes_them_and_as_the_same_by_whom_each_subtask_needs() -> None:
    graph = own_graph(TASKS[0]).model_dump(mode="json")
    right = json.dumps(graph)
    first, last = graph["subtasks"]
    unlike = json.dumps({"subtasks": [first, {**last, "depends_on": []}]})
    plans = [right, unlike, "First I add.", '{"subtasks": []}']
    assert planner.judged(plans, TASKS[:4]) == planner.Written(usable=2, same=1)
