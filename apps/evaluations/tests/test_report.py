"""A summary as lines for a terminal: what it says, and what it leaves out."""

from collections.abc import Iterable
from dataclasses import asdict, replace

from studio.management.report import pair_sentence, report_lines
from workers.core.evaluation.cells import Cell
from workers.core.evaluation.summary import summarise

TEAM = [
    Cell("team", f"{task:06}", 0, task < 15, None, 900, 100 + task, seconds=10.0 + task)
    for task in range(20)
]
PROGRAM = [
    Cell("program", f"{task:06}", 0, task < 5, None, 90, 10 + task, seconds=1.0)
    for task in range(20)
]


def lines(cells: Iterable[Cell], *arms: str) -> list[str]:
    return list(report_lines(asdict(summarise(cells, arms))))


def test_an_arm_is_told_with_its_intervals_tokens_and_seconds() -> None:
    head, team, program, *_ = lines([*TEAM, *PROGRAM], "team", "program")
    assert head.split("  ")[0] == "arm"
    assert " ".join(team.split()) == "team 75.0% [53.1, 88.8] 1,010 1,007–1,012 19.5 19.5 · 28.1"
    assert " ".join(program.split()) == "program 25.0% [11.2, 46.9] 110 107–112 1.00 1.00 · 1.00"
    assert len(head) == len(team) == len(program)


def test_cost_has_a_column_where_one_arm_knows_it() -> None:
    assert "cost" not in lines(TEAM, "team")[0]
    priced = Cell("priced", "000000", 0, True, cost=0.0123)
    head, team, known, *_ = lines([*TEAM, priced], "team", "priced")
    assert head.endswith("cost/answer")
    assert (team.split()[-1], known.split()[-1]) == ("–", "$0.01230")


def test_a_pair_is_told_with_holm_s_p_beside_mcnemar_s() -> None:
    third = [Cell("third", cell.task, 0, False) for cell in TEAM]
    said = lines([*TEAM, *PROGRAM, *third], "team", "program", "third")
    pair = next(line for line in said if line.startswith("team − program"))
    # Ten tasks differ, all for the team: 2 / 2^10; the second smallest of three counts twice.
    assert pair.startswith("team − program: +50.0 points [")
    assert pair.endswith("over 20 tasks, 10 : 0, p = 0.00195 (Holm 0.00391)")


def test_a_pair_without_common_tasks_has_no_p_to_correct() -> None:
    apart = [Cell("a", "000000", 0, True), Cell("b", "000001", 0, True)]
    (pair,) = asdict(summarise(apart, ["a", "b"]))["pairs"]
    assert pair_sentence(pair) == "a − b: – – over 0 tasks, 0 : 0, p = –"


def test_what_failed_is_unknown_or_was_kept_from_before_is_told_below_the_arms() -> None:
    cells = [
        Cell("team", "000000", 0, True, None, 90, 10, seconds=2.0, cached_share=0.5),
        Cell("team", "000001", 0, False, failed=True),
        Cell("team", "000002", 0, None),
        Cell("team", "000003", 0, None),
        Cell("program", "000001", 0, True, None, 90, 10, seconds=2.0),
    ]
    said = lines(cells, "team", "program")
    assert said[3:5] == [
        "team: 1 failed, 3 with unknown tokens, 1 from the cache and not timed",
        "2 tasks can't be judged. They count for no arm.",
    ]
    assert not any(line.startswith("program:") for line in said)


def test_answers_that_ran_out_of_time_are_told_with_the_way_out() -> None:
    cells = [
        Cell("team", "000000", 0, False, failed=True, out_of_time=True),
        Cell("team", "000001", 0, False, failed=True),
        Cell("program", "000000", 0, False, failed=True, out_of_time=True),
        Cell("program", "000001", 0, True, None, 90, 10),
    ]
    said = lines(cells, "team", "program")
    assert said[3].startswith("team: 2 failed, 1 of these timed out")
    assert said[4].startswith("program: 1 failed, 1 of these timed out")
    assert said[5].startswith("2 answers reached their time limit")
    assert "more seconds or fewer answers at once" in said[5]


def test_arms_at_equal_budgets_end_with_the_largest_and_fit_a_terminal() -> None:
    said = lines([*TEAM, *PROGRAM], "team", "program")
    head, team, program = said[-3:]
    assert head.startswith("token limit per answer")
    assert 2 <= len(head.split()) - 4 <= 8
    assert head.split()[-1] == "1,100"
    assert (team.split()[1], team.split()[-1]) == ("0.0%", "75.0%")
    assert program.split()[-1] == "25.0%"
    assert max(map(len, said)) <= 100


def test_domains_stand_below_each_with_its_arms() -> None:
    cells = [replace(c, domain="hard" if c.task > "000009" else "") for c in (*TEAM, *PROGRAM)]
    found = asdict(summarise(cells, ["team", "program"]))
    title, head, *rows, last = list(report_lines({**found, "domains_left_out": 2}))[-7:]
    assert title.startswith("Accuracy by domain")
    assert " ".join(head.split()) == "domain arm tasks accuracy 95% interval tokens"
    assert [" ".join(row.split()) for row in rows] == [
        "without a domain team 10 100.0% [72.2, 100.0] 1,004",
        "program 10 50.0% [23.7, 76.3] 104",
        "hard team 10 50.0% [23.7, 76.3] 1,014",
        "program 10 0.0% [0.0, 27.8] 114",
    ]
    assert last == "2 domains with too few tasks are not shown."


def test_a_few_budgets_are_all_shown() -> None:
    said = lines([Cell("a", "000000", 0, True, None, 50, 10)], "a")
    assert said[-2:] == ["token limit per answer      60", "a                       100.0%"]


def test_the_report_of_nothing_shows_dashes() -> None:
    said = lines([], "a")
    assert len(said) == 2
    assert said[1].split() == ["a", *"––––––"]
