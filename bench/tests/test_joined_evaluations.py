"""Cells written to a file and read again are the same cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.common.joined_evaluations import read_cells, write_cells
from workers.core.evaluation.cells import Cell

CELLS = [
    Cell("direct", "000000", 0, True, None, 97, 86),
    Cell("direct", "000001", 0, False, None, 97, 12),
    Cell("direct", "000002", 0, None, None, None, None, failed=True),
    Cell("debate", "000000", 0, None, None, 300, 200),
]


def test_what_is_kept_is_all_that_the_statistics_look_at(tmp_path: Path) -> None:
    write_cells(tmp_path / "kept.csv", CELLS)
    assert read_cells([tmp_path / "kept.csv"]) == CELLS


def test_an_arm_that_answers_a_task_in_two_files_is_refused(tmp_path: Path) -> None:
    for name, cells in (("a.csv", CELLS), ("b.csv", CELLS[1:2])):
        write_cells(tmp_path / name, cells)
    with pytest.raises(SystemExit, match=r"b\.csv: direct has answered task 000001 before"):
        read_cells([tmp_path / "a.csv", tmp_path / "b.csv"])
