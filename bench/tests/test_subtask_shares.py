"""Shares of subtasks out of traces as the API gives them."""

from typing import Any

from bench.common.subtask_shares import RunShare, subtasks_of, table_lines


def stored(event: str, attempt: int = 1, **more: Any) -> dict[str, Any]:
    return {"attempt": attempt, "event": {"event": event, **more}}


def planned(*references: str | None, attempt: int = 1) -> dict[str, Any]:
    subtasks = [{"id": f"s{i}", "reference": one} for i, one in enumerate(references)]
    return stored("subtasks_planned", attempt, task_graph={"subtasks": subtasks})


def answered(correct: bool | None, attempt: int = 1) -> dict[str, Any]:
    return stored("subtask_answered", attempt, correct=correct)


def test_only_subtasks_whose_right_answer_is_known_count() -> None:
    assert subtasks_of([planned("1", None, "3"), answered(True), answered(None)]) == [True, False]
    assert subtasks_of([stored("agent_finished")]) == []


def test_a_subtask_without_an_answer_is_not_right() -> None:
    assert subtasks_of([planned("1", "2", "3"), answered(True)]) == [True, False, False]


def test_the_last_attempt_counts_alone() -> None:
    first = [planned("1"), answered(False)]
    assert subtasks_of([*first, planned("1", attempt=2), answered(True, attempt=2)]) == [True]


def test_the_task_is_the_unit_in_the_table_and_domains_have_columns() -> None:
    shares = [RunShare("reso", "easy", 4, 4), RunShare("reso", "hard", 8, 0)]
    head, _, reso = table_lines(shares)
    assert head == "| subtasks right (interval) | all | easy | hard |"
    told = [cell.strip() for cell in reso.split("|")[1:-1]]
    assert told[0] == "reso"
    assert told[1].startswith("50.0% (")
    assert told[1].endswith("of 12")
    assert told[2].startswith("100.0%")
    assert told[3].startswith("0.0% (0.0–")


def test_runs_without_subtasks_are_told_as_such() -> None:
    assert list(table_lines([])) == ["None of these runs has a subtask with a known right answer."]
