"""Which numbers of a problem count, and which the text gives away."""

from fractions import Fraction
from typing import Any

import pytest

from workers.core.benchmarks.compositional import problems_of
from workers.core.benchmarks.gsm8k import GSM8K
from workers.core.benchmarks.operands import OPERANDS, operands_of, stand_alone
from workers.core.specs import TaskSpec


@pytest.mark.parametrize(
    ("solution", "operands"),
    [
        ("48/2 = <<48/2=24>>24, 48+24 = <<48+24=72>>72\n#### 72", ["2", "48"]),
        ("<<2.50*4=10>>10\n#### 10", ["4"]),
        ("<<1,200-200=1000>>1,000\n#### 1000", ["200", "1200"]),
        ("She has 5.\n#### 5", None),
        ("", None),
    ],
)
def test_a_solution_tells_what_it_calculates_with(
    solution: str, operands: list[str] | None
) -> None:
    assert operands_of(solution) == operands


@pytest.mark.parametrize(
    ("text", "value", "alone"),
    [
        ("Ann has 3 eggs, Bo has 4.", 3, True),
        ("Ann has 3 eggs, Bo has 3 hens.", 3, False),
        ("Ann has 3 eggs and three hens.", 3, False),
        ("Ann pays $3 for 3 eggs.", 3, False),
        ("Ann pays 3.00 for 3 eggs.", 3, False),
        ("Of 20 eggs, twenty-one percent or 20% break.", 20, False),
        ("It takes 2 days and twice the money.", 2, False),
        ("It takes 12 days for a dozen eggs.", 12, False),
        ("She has 1200 of 1,200 eggs.", 1200, False),
        ("She has 21 eggs and twenty-one hens.", 21, False),
        ("She has 21 eggs and twenty hens.", 21, True),
        ("It is the third of 3 trips.", 3, False),
        ("She reads 7 pages a week.", 7, False),
    ],
)
def test_a_number_stands_alone_where_nothing_else_says_it(
    text: str, value: int, alone: bool
) -> None:
    assert (Fraction(value) in stand_alone(text)) is alone


ROW = {
    "question": "In 2017 a Grade 5 class of 20 has 8 boys. 1 boy leaves. How many girls?",
    "answer": "There are 20-8=<<20-8=12>>12 girls.\n#### 12",
}


def constants(task: TaskSpec) -> list[str]:
    (problem,) = problems_of([task])
    return [problem.text[start:end] for start, end in problem.constants]


def told(query: str, metadata: dict[str, Any]) -> TaskSpec:
    return TaskSpec(query=query, reference="5", verifier="numeric", metadata=metadata)


def test_with_a_solution_only_its_numbers_are_told_otherwise() -> None:
    task = GSM8K.task(ROW)
    assert task.metadata[OPERANDS] == ["8", "20"]
    assert constants(task) == ["20", "8"]


def test_without_one_numbers_that_name_something_are_left_out_by_their_wording() -> None:
    task = GSM8K.task(ROW).model_copy(update={"metadata": {}})
    assert constants(task) == ["20", "8"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("In 30 minutes she runs 4 laps.", ["30", "4"]),
        ("She was born in 1990 and has 4 cats.", ["4"]),
        ("A 12-year-old reads 4 books.", ["4"]),
        ("By 4 o'clock, or 6 pm, she has 9 eggs.", ["9"]),
        ("Room 12 on level 3 has 9 desks.", ["9"]),
        ("Bus #14 has 9 seats.", ["9"]),
        ("She has 1 cat and 9 dogs.", ["9"]),
    ],
)
def test_wordings_that_only_name(text: str, kept: list[str]) -> None:
    assert constants(told(text, {})) == kept


@pytest.mark.parametrize("stored", [None, "8", {"8": 1}, 8])
def test_operands_that_are_no_list_are_not_known(stored: object) -> None:
    assert constants(told("She has 8 eggs, 9 hens.", {OPERANDS: stored})) == ["8", "9"]


def test_no_operand_in_the_text_leaves_the_problem_without_a_place() -> None:
    assert constants(told("She has 8 eggs.", {OPERANDS: ["3"]})) == []
