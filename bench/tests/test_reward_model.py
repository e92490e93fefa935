"""What the benchmark of reward models counts, and that it runs to its end on a tiny model."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import reward_model
from bench.common.reward_examples import examples_of
from bench.tests.conftest import Ran
from workers.core.weights.tests.tiny import save_tiny


def run(answer: str, *, right: bool | None, status: str = "succeeded") -> dict[str, Any]:
    return {
        "query": f"What is 1 + {answer}?",
        "message": f"I add.\nAnswer: {answer}",
        "answer": answer,
        "correct": right,
        "status": status,
    }


def test_auc_is_the_share_of_pairs_in_the_right_order() -> None:
    right, wrong = np.array([0.9, 0.5, 0.1]), np.array([0.5, 0.2])
    # 0.9 beats both, 0.5 is like one and beats the other, 0.1 beats none.
    value, low, high = reward_model.auc_interval(right, wrong)
    assert value == pytest.approx((2 + 1.5 + 0) / 6)
    assert 0 <= low < value < high <= 1
    assert reward_model.auc_interval(np.array([np.nan]), wrong)[0] == 0.5


def test_runs_that_were_judged_are_examples() -> None:
    runs = [
        run("2", right=True),
        run("3", right=False),
        run("4", right=None),
        run("5", right=None, status="failed"),
        run("", right=False),
        run("2", right=False),  # a second answer of the first question
    ]
    found = examples_of(({"arm": "program"}, each) for each in runs)
    assert [example.right for example in found] == [True, False]
    told = json.loads(found[0].record)
    assert (told["subtask"], told["answer"]) == ("What is 1 + 2?", "2")
    assert told["agent"]["role"] == "program"


def test_it_tunes_judges_and_ends_in_json(
    tmp_path: Path, ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path / "models"))
    save_tiny(tmp_path / "models" / "tiny")
    runs = [run(str(number), right=number % 2 == 0) for number in range(8)]
    examples = examples_of(({"arm": "program"}, each) for each in runs)
    for name in ("learned", "held-out"):
        lines = "".join(f"{example.model_dump_json()}\n" for example in examples)
        (tmp_path / name).write_text(lines)
    options = ["--model", "tiny", "--folder", str(tmp_path / "job"), "--zero-shot"]
    files = [str(tmp_path / name) for name in ("learned", "held-out")]
    told, _ = ran(reward_model.main, *files, *options)
    assert told["held_out_right"] == 0.5
    assert {"auc_tuned", "auc_untuned", "auc_zero_shot", "auc_shorter_low"} <= set(told)
    again, _ = ran(reward_model.main, *files, *options)  # what is done is not done again
    assert again["auc_tuned"] == told["auc_tuned"]
