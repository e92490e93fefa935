"""Cells written to a file and read again are the same cells, and add up to the same tables."""

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from bench.common.joined_evaluations import (
    KEPT,
    main,
    read_cells,
    require_same_tasks,
    table_lines,
    tokens_difference,
    write_cells,
)
from workers.core.evaluation.cells import Cell

CELLS = [
    Cell("direct", "000000", 0, True, None, 97, 86),
    Cell("direct", "000001", 0, False, None, 97, 12),
    Cell("direct", "000002", 0, None, None, None, None, failed=True, judgeable=False),
    Cell("direct", "000003", 0, False, None, None, None, failed=True),
    Cell("debate", "000000", 0, None, None, 300, 200),
]


def answers(arm: str, right: Iterable[int], *, tokens: int, tasks: int = 10) -> list[Cell]:
    """One answer per task, of `tokens` tokens for the first and one more for each further one."""
    return [Cell(arm, f"{task:06}", 0, task in right, None, tokens, task) for task in range(tasks)]


TEAM = answers("team", range(8), tokens=1_200)
PROGRAM = answers("program", range(1), tokens=200)
DIRECT = answers("direct", range(9), tokens=1_300)


def test_what_is_kept_is_what_accuracies_and_tokens_are_made_of(tmp_path: Path) -> None:
    write_cells(tmp_path / "kept.csv", CELLS)
    assert read_cells([tmp_path / "kept.csv"]) == CELLS
    assert (tmp_path / "kept.csv").read_text().splitlines()[0] == ",".join(KEPT)


def test_seconds_and_cost_are_kept_where_an_answer_tells_them(tmp_path: Path) -> None:
    timed = replace(CELLS[0], seconds=18.60984179299976, cost=0.0012, cached_share=0.25)
    cells = [timed, *CELLS[1:]]
    write_cells(tmp_path / "kept.csv", cells)
    assert read_cells([tmp_path / "kept.csv"]) == cells
    write_cells(tmp_path / "again.csv", [replace(timed, cost=None)])
    head = (tmp_path / "again.csv").read_text().splitlines()[0]
    assert head == ",".join([*KEPT, "seconds", "cached_share"])


def test_that_an_answer_ran_out_of_time_is_kept(tmp_path: Path) -> None:
    cells = [*CELLS[:3], replace(CELLS[3], out_of_time=True), *CELLS[4:]]
    write_cells(tmp_path / "kept.csv", cells)
    assert read_cells([tmp_path / "kept.csv"]) == cells
    assert any("reached their time limit" in line for line in table_lines(cells))


def test_domains_are_kept_and_told_with_what_each_arm_took(tmp_path: Path) -> None:
    cells = [
        replace(cell, domain="easy" if cell.task < "000005" else "hard")
        for cell in (*TEAM, *PROGRAM)
    ]
    write_cells(tmp_path / "kept.csv", cells)
    assert read_cells([tmp_path / "kept.csv"]) == cells
    *_, head, _, team, program = table_lines(cells)
    assert head == "| right by domain | easy, 5 tasks | hard, 5 tasks |"
    assert team.startswith("| team | 100.0% (56.6–100.0), 1,202 tokens | 60.0% (23.1–88.2), 1,207")
    assert program.endswith("| 0.0% (0.0–43.4), 207 tokens |")


def test_an_arm_that_answers_a_task_in_two_files_is_refused(tmp_path: Path) -> None:
    for name, cells in (("a.csv", CELLS), ("b.csv", CELLS[1:2])):
        write_cells(tmp_path / name, cells)
    with pytest.raises(
        SystemExit, match=r"b\.csv: the arm direct already has an answer to task 000001"
    ):
        read_cells([tmp_path / "a.csv", tmp_path / "b.csv"])


def test_kept_cells_join_with_a_file_that_has_the_questions(tmp_path: Path) -> None:
    write_cells(tmp_path / "kept.csv", CELLS[:1])
    head = "arm,task,repeat,correct,failed,prompt_tokens,completion_tokens,query\n"
    (tmp_path / "new.csv").write_text(f"{head}debate,{CELLS[0].task},0,true,false,1,1,1 + 1?\n")
    joined = read_cells([tmp_path / "kept.csv", tmp_path / "new.csv"])
    assert [cell.arm for cell in joined] == [CELLS[0].arm, "debate"]


def test_another_task_at_the_same_place_is_refused(tmp_path: Path) -> None:
    head = "arm,task,repeat,correct,failed,prompt_tokens,completion_tokens,query\n"
    for arm, query in (("direct", "1 + 1?"), ("debate", "2 + 2?")):
        (tmp_path / arm).write_text(f"{head}{arm},000000,0,true,false,1,1,{query}\n")
    with pytest.raises(SystemExit, match="task 000000 differs from task 000000"):
        read_cells([tmp_path / "direct", tmp_path / "debate"])


def test_arms_that_did_not_answer_the_same_tasks_are_refused() -> None:
    with pytest.raises(SystemExit, match="the same 4 tasks: debate lacks 3"):
        require_same_tasks(CELLS)
    require_same_tasks(CELLS[:4])


def test_nothing_is_not_compared() -> None:
    with pytest.raises(SystemExit, match="no answers"):
        require_same_tasks([])


def test_the_first_arm_is_compared_with_each_other_one_and_corrected_for_these_pairs() -> None:
    # Wilson's interval of 8, 1 and 9 of 10. Seven tasks of ten differ, all for the team: 2 / 2^7,
    # the smaller of two p-values counts twice.
    assert list(table_lines([*TEAM, *PROGRAM, *DIRECT])) == [
        "| arm | right of 10 (interval) | tokens (interval) |",
        "| --- | --- | --- |",
        "| team | 80.0% (49.0–94.3) | 1,204 (1,203–1,206) |",
        "| program | 10.0% (1.8–40.4) | 204 (203–206) |",
        "| direct | 90.0% (59.6–98.2) | 1,304 (1,303–1,306) |",
        "",
        "| pair | difference in points (interval) | p (McNemar) | Holm p | "
        "tokens difference (interval) |",
        "| --- | --- | --- | --- | --- |",
        "| team − program | +70.0 (40.0 to 100.0) | 0.0156 | 0.0312 | +1,000 (1,000 to 1,000) |",
        "| team − direct | −10.0 (−30.0 to 0.0) | 1 | 1 | −100 (−100 to −100) |",
    ]


def test_what_was_right_within_a_budget_of_tokens_comes_last() -> None:
    said = list(table_lines([*TEAM, *PROGRAM], budgets=(100, 1_000, 5_000)))
    assert said[-5:] == [
        "",
        "| right within a token budget of | 100 | 1,000 | 5,000 |",
        "| --- | --- | --- | --- |",
        "| team | 0.0% (0.0–27.8) | 0.0% (0.0–27.8) | 80.0% (49.0–94.3) |",
        "| program | 0.0% (0.0–27.8) | 10.0% (1.8–40.4) | 10.0% (1.8–40.4) |",
    ]


def test_every_pair_is_corrected_for_all_of_them() -> None:
    pairs = list(table_lines([*TEAM, *PROGRAM, *DIRECT], every_pair=True))[8:]
    told = [[cell.strip() for cell in line.split("|")[1:-1]] for line in pairs]
    assert [(row[0], row[2], row[3]) for row in told] == [
        ("team − program", "0.0156", "0.0312"),
        ("team − direct", "1", "1"),
        ("program − direct", "0.00781", "0.0234"),
    ]


def test_seconds_are_those_of_answers_that_no_kept_answer_helped() -> None:
    cells = [replace(cell, seconds=20.0, cost=0.5) for cell in TEAM]
    cells[0] = replace(cells[0], seconds=0.1, cached_share=1.0)
    said = list(table_lines([*cells, *PROGRAM]))
    assert said[0].endswith("| seconds | cost |")
    assert said[2].endswith("| 20.0 | $0.50000 |")
    assert said[3].endswith("| – | – |")
    assert said[5] == "team: 1 from the cache and not timed"


def test_tokens_are_compared_on_the_tasks_where_both_are_known() -> None:
    left = [
        Cell("team", "000000", 0, True, None, 90, 10),
        Cell("team", "000000", 1, True, None, 290, 10),
        Cell("team", "000000", 2, True),
        Cell("team", "000001", 0, True),
        Cell("team", "000002", 0, True, None, 490, 10),
    ]
    right = [Cell("program", f"{task:06}", 0, True, None, 40, 10) for task in range(3)]
    difference, interval = tokens_difference(left, right)
    assert difference == ((200 - 50) + (500 - 50)) / 2
    assert interval is not None
    assert (interval.low, interval.high) == (150, 450)
    assert tokens_difference(left[2:4], right) == (None, None)


def test_a_bar_in_a_name_begins_no_column() -> None:
    said = list(table_lines([replace(cell, arm="a|b") for cell in TEAM]))
    assert said[2].startswith(r"| a\|b | 80.0%")
    assert len(said) == 3


def test_part_of_the_split_has_its_own_intervals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, kept = tmp_path / "all.csv", tmp_path / "kept.csv"
    write_cells(file, [*TEAM, *PROGRAM])
    monkeypatch.setattr(sys, "argv", ["joined", str(file), "--tasks", "6:10", "--keep", str(kept)])
    main()
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("| arm | right of 4 (interval)")
    assert said[2].startswith("| team | 50.0% (15.0–85.0) |")
    assert {cell.task for cell in read_cells([kept])} == {f"{task:06}" for task in range(6, 10)}
