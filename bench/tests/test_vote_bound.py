"""Votes counted over kept answers."""

import csv
from pathlib import Path

import pytest

from bench.common import vote_bound

# Each arm: its answer to four tasks (the reference is 7), and what an answer costs.
ANSWERS = {"a": ("7", "8", "7", ""), "b": ("8", "7.0", "9", "7"), "c": ("8", "7", "7", "7")}
COST = {"a": 10, "b": 20, "c": 40}


def rows() -> list[dict[str, str]]:
    return [
        {
            "arm": arm,
            "task": str(task),
            "correct": "true" if answer in ("7", "7.0") else "false",
            "prompt_tokens": str(COST[arm] - 1),
            "completion_tokens": "1",
            "answer": answer,
            "explanation": "not kept",
        }
        for arm, answers in ANSWERS.items()
        for task, answer in enumerate(answers)
    ]


def test_every_vote_is_counted_and_the_best_of_each_size_is_told() -> None:
    *alone, two, three = vote_bound.best_teams(vote_bound.read(rows()))
    assert [(team.arms, team.right) for team in alone] == [(("a",), 2), (("b",), 2), (("c",), 3)]
    # A tie goes to who was asked first; equal numbers are one answer; no answer is no vote.
    assert (two.arms, two.right, two.tokens) == (("a", "b"), 3, 30)
    assert (three.right, three.tokens) == (3, 70)
    # b and c agree on 8, on 7 and on 7; they do not on the third task, where a is asked too.
    in_turn = vote_bound._team(vote_bound.read(rows()), ("b", "c", "a"))
    assert (in_turn.right_in_turn, in_turn.tokens_in_turn) == (3, (60 + 60 + 70 + 60) / 4)


def test_only_tasks_that_everybody_answered_count() -> None:
    assert list(vote_bound.read(rows()[:-1])) == ["0", "1", "2"]


def test_what_it_needs_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, kept = tmp_path / "results.csv", tmp_path / "kept.csv"
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows()[0].keys())
        writer.writeheader()
        writer.writerows(rows())
    monkeypatch.setattr("sys.argv", ["vote_bound", str(file), "--keep", str(kept)])
    vote_bound.main()
    told = capsys.readouterr().out
    assert "not kept" not in kept.read_text()
    monkeypatch.setattr("sys.argv", ["vote_bound", str(kept)])
    vote_bound.main()
    assert capsys.readouterr().out == told
