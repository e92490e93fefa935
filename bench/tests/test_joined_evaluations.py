"""Cells written to a file and read again are the same cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.common.joined_evaluations import read_cells, require_same_tasks, write_cells
from workers.core.evaluation.cells import Cell

CELLS = [
    Cell("direct", "000000", 0, True, None, 97, 86),
    Cell("direct", "000001", 0, False, None, 97, 12),
    Cell("direct", "000002", 0, None, None, None, None, failed=True, judgeable=False),
    Cell("direct", "000003", 0, False, None, None, None, failed=True),
    Cell("debate", "000000", 0, None, None, 300, 200),
]


def test_what_is_kept_is_what_accuracies_and_tokens_are_made_of(tmp_path: Path) -> None:
    write_cells(tmp_path / "kept.csv", CELLS)
    assert read_cells([tmp_path / "kept.csv"]) == CELLS


def test_an_arm_that_answers_a_task_in_two_files_is_refused(tmp_path: Path) -> None:
    for name, cells in (("a.csv", CELLS), ("b.csv", CELLS[1:2])):
        write_cells(tmp_path / name, cells)
    with pytest.raises(SystemExit, match=r"b\.csv: direct has answered task 000001 before"):
        read_cells([tmp_path / "a.csv", tmp_path / "b.csv"])


def test_another_task_at_the_same_place_is_refused(tmp_path: Path) -> None:
    head = "arm,task,repeat,correct,failed,prompt_tokens,completion_tokens,query\n"
    for arm, query in (("direct", "1 + 1?"), ("debate", "2 + 2?")):
        (tmp_path / arm).write_text(f"{head}{arm},000000,0,true,false,1,1,{query}\n")
    with pytest.raises(SystemExit, match="task 000000 asks something else"):
        read_cells([tmp_path / "direct", tmp_path / "debate"])


def test_arms_that_did_not_answer_the_same_tasks_are_refused() -> None:
    with pytest.raises(SystemExit, match="the same 4 tasks: debate lacks 3"):
        require_same_tasks(CELLS)
    require_same_tasks(CELLS[:4])
