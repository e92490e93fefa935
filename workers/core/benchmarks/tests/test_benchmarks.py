"""Rows of each benchmark as tasks, and rows that are none."""

from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from workers.core.benchmarks.benchmark import Row, RowError
from workers.core.benchmarks.gpqa import GPQA
from workers.core.benchmarks.math import last_boxed
from workers.core.benchmarks.registry import BENCHMARKS, VERIFIERS

ROWS: dict[str, dict[str, Any]] = {
    "gsm8k": {"question": "How many? ", "answer": "2 * 3 = <<2*3=6>>6\n#### 1,006"},
    "math": {
        "problem": "Simplify $\\frac{2}{4}$.",
        "solution": "It is $\\boxed{\\frac{1}{2}}$.",
        "type": "Algebra",
        "level": "Level 1",
    },
    "gpqa": {
        "Question": "Which one?",
        "Correct Answer": "right\n",
        "Incorrect Answer 1": "wrong 1",
        "Incorrect Answer 2": "wrong 2",
        "Incorrect Answer 3": "wrong 3",
        "High-level domain": "Physics",
    },
    "mmlu": {
        "question": "Which one?",
        "choices": ["w", "x", "y", "z"],
        "answer": 2,
        "subject": "high_school_physics",
    },
    "humaneval": {
        "prompt": 'from typing import List\n\ndef half(x: int) -> float:\n    """Half of x."""\n',
        "entry_point": "half",
        "test": "def check(candidate):\n    assert candidate(3) == 1.5\n",
        "canonical_solution": "    return x / 2\n",
    },
    "mbpp": {
        "text": "Write a function that doubles.",
        "code": "def double(x):\r\n  return 2 * x",
        "test_list": ["assert double(2) == n", "assert double(0) == 0"],
        "test_setup_code": "n = 4\r\n",
        "challenge_test_list": [],
    },
    "plan_path": {"board": "S.#\n.#.\n..G"},
    "sudoku": {"board": "1 2 3 _\n3 4 1 2\n2 1 4 3\n4 3 2 _"},
    "sokoban": {"board": "######\n#@$._#\n######"},
    "research": {"query": "How many km?", "reference": "1234", "level": 1},
    "gaia": {"Question": "Which town?", "Final answer": "Bonn", "Level": 1},
    "hle": {"question": "Which town?", "answer": "Bonn", "category": "Geography"},
    "deep_researcher": {"question": "Which town?", "answer": ["Bonn", "Bonn am Rhein"]},
    "browse_comp": {
        "problem": "tmiSrWiscIM3DUU=",  # “Which town?”
        "answer": "o2+VoA==",
        "canary": "canary",
    },
    "custom": {"query": "1 + 1?", "reference": "2"},
}

RIGHT = {
    "gsm8k": "1006",
    "math": "0.5",
    "gpqa": "right",
    "mmlu": "C",
    "humaneval": "def half(x):\n    return x / 2",
    "mbpp": "def double(x):\n    return 2 * x",
    "plan_path": "down, down, right, right",
    "sudoku": "1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1",
    "sokoban": "Answer: R",
    "research": "1,234 km",
    "gaia": "bonn",
    "hle": "Bonn",
    "deep_researcher": "Bonn am Rhein",
    "browse_comp": "Bonn",
    "custom": "2.0",
}
WRONG = {
    "gsm8k": "6",
    "math": "2",
    "gpqa": "wrong 1",
    "mmlu": "A",
    "humaneval": "def half(x):\n    return x // 2",
    "mbpp": "def double(x):\n    return 4",
    "plan_path": "right, down",
    "sudoku": "1 2 3 1\n3 4 1 2\n2 1 4 3\n4 3 2 4",
    "sokoban": "Answer: L",
    "research": "1235",
    "gaia": "Berlin",
    "hle": "Berlin",
    "deep_researcher": "Berlin",
    "browse_comp": "Berlin",
    "custom": "3",
}


def test_every_benchmark_is_tested_here() -> None:
    assert ROWS.keys() == RIGHT.keys() == WRONG.keys() == BENCHMARKS.keys()
    for key, benchmark in BENCHMARKS.items():
        assert key == benchmark.key
        assert benchmark.verifier in VERIFIERS
        assert benchmark.columns


@pytest.mark.parametrize("key", BENCHMARKS)
async def test_a_row_becomes_a_task_that_tells_right_from_wrong(key: str) -> None:
    task = BENCHMARKS[key].task(ROWS[key])
    assert task.verifier is not None
    verifier = VERIFIERS[task.verifier]
    for answer, correct in ((RIGHT[key], True), (WRONG[key], False), (None, False)):
        verdict = await verifier.verify(task, answer=answer, message="")
        assert verdict.correct is correct, verdict.explanation


@pytest.mark.parametrize("key", BENCHMARKS)
def test_a_row_gives_the_same_task_every_time_whose_question_does_not_tell_the_answer(
    key: str,
) -> None:
    task = BENCHMARKS[key].task(ROWS[key])
    assert task == BENCHMARKS[key].task(dict(ROWS[key]))
    if task.verifier != "choice":
        assert RIGHT[key] not in task.query


def test_prompt_forms() -> None:
    mbpp = BENCHMARKS["mbpp"].task(ROWS["mbpp"])
    assert "Your code should pass these tests:" in mbpp.query
    assert "assert double(2) == n" in mbpp.query
    assert "n = 4" not in mbpp.query
    humaneval = BENCHMARKS["humaneval"].task(ROWS["humaneval"])
    assert '"""Half of x."""' in humaneval.query
    assert "candidate(3)" not in humaneval.query
    assert {mbpp.answer_form, humaneval.answer_form} == {"code"}
    mmlu = BENCHMARKS["mmlu"].task(ROWS["mmlu"])
    assert "A. w\nB. x\nC. y\nD. z" in mmlu.query
    assert (mmlu.reference, mmlu.domain) == ("C", "high school physics")
    assert BENCHMARKS["math"].task(ROWS["math"]).domain == "algebra"


@pytest.mark.parametrize(
    ("key", "row", "query", "reference", "verifier"),
    [
        ("custom", {"problem": "1 + 1?", "solution": "2"}, "1 + 1?", "2", "numeric"),
        ("custom", {"Question": "1 + 1?", "ANSWER": "two"}, "1 + 1?", "two", "exact"),
        ("custom", {" query ": "q", "answer": "a", "solution": "s"}, "q", "a", "exact"),
        ("custom", {"query": "q", "problem": "p", "reference": "1"}, "q", "1", "numeric"),
        (
            "custom",
            {"problem": "Half?", "solution": r"It is $\boxed{\frac{1}{2}}$."},
            "Half?",
            r"\frac{1}{2}",
            "numeric",
        ),
        ("custom", {"problem": "p", "solution": r"So \boxed{x^2 + 1}."}, "p", "x^2 + 1", "latex"),
        ("custom", {"problem": "p", "solution": r"So \boxed{72}."}, "p", "72", "numeric"),
        ("custom", {"question": "q", "answer": "6 * 12 = 72.\n#### 72"}, "q", "72", "numeric"),
        ("custom", {"query": "q", "reference": Decimal("1.50")}, "q", "1.50", "numeric"),
        ("custom", {"query": "q", "reference": Decimal("2E+3")}, "q", "2000", "numeric"),
        ("gsm8k", {"problem": "p", "solution": "So\n#### 7"}, "p", "7", "numeric"),
        ("math", {"question": "q", "answer": "x^2"}, None, "x^2", "latex"),
        ("custom", {"question": "q", "A": "x", "B": "y", "answer": "B"}, None, "B", "choice"),
        ("mmlu", {"question": "q", "A": "x", "B": "y", "answer": "1"}, None, "B", "choice"),
    ],
)
def test_columns_have_other_names_elsewhere(
    key: str, row: Row, query: str | None, reference: str, verifier: str
) -> None:
    task = BENCHMARKS[key].task(row)
    assert query in (None, task.query)
    assert (task.reference, task.verifier) == (reference, verifier)


def test_the_places_of_right_answers_are_even() -> None:
    rows = [{**ROWS["gpqa"], "Question": f"Which one of {n}?"} for n in range(400)]
    tasks = [GPQA.task(row) for row in rows]
    counts = Counter(task.reference for task in tasks)
    assert set(counts) == set("ABCD")
    assert max(counts.values()) < 2 * min(counts.values())
    for task in tasks:
        assert task.metadata["choices"]["ABCD".index(task.reference or "")] == "right"


@pytest.mark.parametrize(
    ("key", "change", "said"),
    [
        ("gsm8k", {"question": ""}, "“question” is missing"),
        ("gsm8k", {"answer": "I do not know"}, "#### number"),
        ("gsm8k", {"answer": "The ratio is\n#### 2:3"}, "#### number"),
        ("gsm8k", {"answer": "#### 12 or 13"}, "#### number"),
        ("mmlu", {"choices": None}, "“choices” is missing"),
        ("mmlu", {"choices": None, "A": "one alone"}, "“choices” is missing"),
        ("gsm8k", {"question": {"a": 1}}, "“question” has an object"),
        ("gsm8k", {"question": "a\0b"}, "NUL"),
        ("gsm8k", {"question": "\ud800"}, "not valid Unicode"),
        ("gsm8k", {"question": "x" * 100_001}, "more than 100,000"),
        ("math", {"solution": "no box"}, "neither"),
        ("gpqa", {"Incorrect Answer 3": None}, "“Incorrect Answer 3” is missing"),
        ("mmlu", {"choices": "w x y z"}, "instead of a list"),
        ("mmlu", {"choices": ["w"]}, "1 options"),
        ("mmlu", {"answer": 4}, "number 4"),
        ("mmlu", {"answer": -1}, "neither a number from 0 up nor a letter"),
        ("mmlu", {"answer": "right"}, "neither a number from 0 up nor a letter"),
        ("mmlu", {"answer": True}, "a truth value"),
        ("humaneval", {"entry_point": "double"}, "does not start a function double"),
        ("humaneval", {"entry_point": "a; b"}, "not a function's name"),
        ("mbpp", {"text": None}, "“text” and “prompt”"),
        ("mbpp", {"test_list": []}, "“test_list”"),
        ("custom", {"verifier": "magic"}, "no verifier “magic”"),
        ("custom", {"reference": ""}, "“reference” is missing"),
        ("custom", {"query": None}, "“query” is missing"),
        ("custom", {"choices": ["a", "b"], "reference": "c"}, "nor one of the choices"),
        ("custom", {"verifier": "unit_tests"}, "“tests” is missing"),
        ("custom", {"tolerance": "wide"}, "“tolerance” is not a number"),
        ("custom", {"tolerance": "nan"}, "“tolerance” is not a number from 0 up"),
        ("custom", {"tolerance": -1}, "“tolerance” is not a number from 0 up"),
    ],
)
def test_a_row_that_is_no_task_says_why(key: str, change: Row, said: str) -> None:
    with pytest.raises(RowError, match=said.replace("(", r"\(")):
        BENCHMARKS[key].task({**ROWS[key], **change})


@pytest.mark.parametrize(
    ("row", "verifier"),
    [
        ({"reference": "2"}, "numeric"),
        ({"reference": "$1,000.50"}, "numeric"),
        ({"reference": "Paris"}, "exact"),
        ({"reference": "3 cats"}, "exact"),
        ({"reference": "b", "choices": ["a", "b"]}, "choice"),
        ({"tests": ["assert f() == 1"]}, "unit_tests"),
        ({"tests": "assert f() == 1"}, "unit_tests"),
        ({"reference": "x+1", "verifier": "latex"}, "latex"),
        ({"reference": 2}, "numeric"),
    ],
)
def test_own_tasks_find_their_verifier(row: Row, verifier: str) -> None:
    task = BENCHMARKS["custom"].task({"query": "q", **row})
    assert task.verifier == verifier
    assert task.answer_form == ("code" if verifier == "unit_tests" else "text")


@pytest.mark.parametrize(
    ("solution", "boxed"),
    [
        (r"so $\boxed{5}$", "5"),
        (r"\boxed{1} or \boxed{\frac{1}{2}}.", r"\frac{1}{2}"),
        (r"\fbox{x}", "x"),
        (r"$\boxed 7$ ends", "7"),
        (r"\boxed{never closed", ""),
        ("none", ""),
    ],
)
def test_the_last_box_of_a_solution(solution: str, boxed: str) -> None:
    assert last_boxed(solution) == boxed
