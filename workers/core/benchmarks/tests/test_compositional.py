"""Tasks composed of others: what they ask can be worked out from what they say."""

import re
from fractions import Fraction
from itertools import islice
from math import prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.benchmarks.answer_names import question_of
from workers.core.benchmarks.compositional import (
    FINAL,
    LEVELS,
    LONGEST,
    MOST,
    TASK_GRAPH,
    CompositionError,
    base_problems,
    compose,
    problems_of,
)
from workers.core.benchmarks.gsm8k import GSM8K
from workers.core.benchmarks.operands import OPERANDS, stand_alone
from workers.core.benchmarks.readers import read_rows
from workers.core.specs import TaskGraphSpec, TaskSpec

FOLDER = Path(__file__).resolve().parents[5] / "shared" / "datasets"


def task(text: str, reference: str, verifier: str = "numeric") -> TaskSpec:
    return TaskSpec(query=text, reference=reference, verifier=verifier)


# Each asks for a number of its text plus its own place, so its answer can be worked out again.
BASE = [
    task(f"Ann has {n} eggs and buys {p} more. How many?", str(n + p))
    for p, n in enumerate(range(3, 23), start=1)
]
PROBLEMS = problems_of(BASE)
TOLD = re.compile(r"\(((?:the answer of Problem \d+ \+ )*the answer of Problem \d+) ([+-]) (\d+)\)")


def worked_out(graph: TaskGraphSpec) -> list[Fraction]:
    """The answers, from the texts alone."""
    answers: list[Fraction] = []

    def constant(match: re.Match[str]) -> str:
        total = sum(answers[int(number) - 1] for number in re.findall(r"Problem (\d+)", match[1]))
        return str(total + int(f"{match[2]}{match[3]}"))

    for subtask in graph.subtasks[:-1]:
        text = TOLD.sub(constant, subtask.text)
        answers.append(Fraction(sum(map(int, re.findall(r"\d+", text)))))
    return answers


@given(seed=st.integers(0, 2**31), level=st.sampled_from(sorted(LEVELS)))
def test_the_problems_are_found_again_with_their_own_numbers(seed: int, level: str) -> None:
    texts = {problem.text for problem in PROBLEMS}
    (made,) = compose(PROBLEMS, count=1, nodes=LEVELS[level], seed=seed, level=level)
    found = base_problems(made.query, made.metadata[TASK_GRAPH])
    assert len(set(found)) == LEVELS[level]
    assert set(found) <= texts


def test_answers_below_zero_and_with_decimals_give_the_numbers_back() -> None:
    texts = [f"Bo owes {n} coins and a bit. How much?" for n in (3, 5, 7)]
    answers = ("-2.5", "0.125", "9")
    base = [task(text, answer) for text, answer in zip(texts, answers, strict=True)]
    for made in compose(problems_of(base), count=6, nodes=3, seed=0):
        assert set(base_problems(made.query, made.metadata[TASK_GRAPH])) == set(texts)


def test_a_number_told_by_an_answer_that_nobody_knows_stays_told() -> None:
    (made,) = compose(PROBLEMS, count=1, nodes=3, seed=0)
    graph = TaskGraphSpec.model_validate(made.metadata[TASK_GRAPH])
    unknown = [subtask.model_copy(update={"reference": None}) for subtask in graph.subtasks]
    stored = TaskGraphSpec(subtasks=tuple(unknown)).model_dump(mode="json")
    assert base_problems(made.query, stored) == tuple(s.text for s in graph.subtasks[:-1])


@pytest.mark.parametrize("stored", [None, 5, [], {}, {"subtasks": []}, {"subtasks": "p1"}])
def test_other_tasks_are_made_of_nothing(stored: object) -> None:
    assert base_problems("1 + 1?", stored) == ()


def test_a_plan_of_a_question_is_no_composition() -> None:
    """Its subtasks are phrases of their own, which other plans may share."""
    subtasks = [
        {"id": "p1", "text": "Work out the total."},
        {"id": FINAL, "text": "Halve it.", "depends_on": ["p1"]},
    ]
    assert base_problems("Half of all eggs of Ann?", {"subtasks": subtasks}) == ()


@given(seed=st.integers(0, 2**31), level=st.sampled_from(sorted(LEVELS)))
def test_the_answers_follow_from_the_texts(seed: int, level: str) -> None:
    nodes = LEVELS[level]
    (made,) = compose(PROBLEMS, count=1, nodes=nodes, seed=seed, level=level)
    graph = TaskGraphSpec.model_validate(made.metadata[TASK_GRAPH])
    answers = worked_out(graph)
    assert [str(answer) for answer in answers] == [s.reference for s in graph.subtasks[:-1]]
    assert made.reference == str(prod(answers))
    assert abs(int(prod(answers))) <= MOST
    assert made.domain == level
    final = graph.subtasks[-1]
    assert (final.id, final.reference) == (FINAL, made.reference)
    assert len(final.depends_on) == nodes
    assert graph.subtasks[0].depends_on == ()
    assert all(1 <= len(s.depends_on) <= 2 for s in graph.subtasks[1:-1])
    assert all(subtask.text in made.query for subtask in graph.subtasks)


def hidden(made: TaskSpec) -> list[tuple[str, Fraction]]:
    """Of each problem of a task that needs others: its own text, and the number told by them."""
    graph = TaskGraphSpec.model_validate(made.metadata[TASK_GRAPH])
    own = base_problems(made.query, made.metadata[TASK_GRAPH])
    found = []
    for subtask, text in zip(graph.subtasks, own, strict=False):
        if match := TOLD.search(subtask.text):
            after = len(subtask.text) - match.end()
            found.append((text, Fraction(text[match.start() : len(text) - after])))
    return found


@pytest.fixture(scope="module")
def gsm8k() -> list[TaskSpec]:
    path = FOLDER / "gsm8k_train.jsonl"
    if not path.is_file():
        pytest.skip("gsm8k_train.jsonl is not at hand: put the datasets into ../shared/datasets")
    return [GSM8K.task(row) for _, row in islice(read_rows(path), 2_000)]


def test_no_number_of_gsm8k_that_was_hidden_is_given_away(gsm8k: list[TaskSpec]) -> None:
    """Over 3 × 3 × 40 tasks: it stands nowhere else in its problem, the solution calculates with
    it, and it is never told as a sum and nothing."""
    operands = {task.query: task.metadata.get(OPERANDS) for task in gsm8k}
    problems = problems_of(gsm8k)
    for seed, level in ((seed, level) for seed in range(3) for level in LEVELS):
        nodes = LEVELS[level]
        for made in compose(problems, count=40, nodes=nodes, seed=seed, level=level):
            told = hidden(made)
            assert len(told) == nodes - 1, made.query
            for text, number in told:
                assert number in stand_alone(text), (number, text)
                known = operands[text]
                assert known is None or str(number) in known, (number, text)
            assert not re.search(r"[+-] 0(\.0*)?\)", made.query)


@given(
    seed=st.integers(0, 2**31),
    numbers=st.lists(st.tuples(st.integers(2, 9), st.integers(2, 9)), min_size=4, max_size=12),
)
def test_a_sum_that_is_the_number_itself_is_never_told(
    seed: int, numbers: list[tuple[int, int]]
) -> None:
    base = [task(f"Bo{n} has {a} eggs. How many?", str(b)) for n, (a, b) in enumerate(numbers)]
    try:
        made = list(compose(problems_of(base), count=3, nodes=3, seed=seed))
    except CompositionError:
        return
    assert not [each for each in made if "+ 0)" in each.query or "- 0)" in each.query]


def test_where_every_number_is_the_answer_before_it_nothing_is_composed() -> None:
    base = [task(f"{who} has 5 eggs. How many?", "5") for who in ("Ann", "Bo")]
    with pytest.raises(CompositionError, match="equals the answer that replaces it") as told:
        next(compose(problems_of(base), count=1, nodes=2, seed=0))
    assert told.value.code == "product_out_of_bounds"


def test_the_same_seed_makes_the_same_tasks() -> None:
    first, again, other = (
        list(compose(PROBLEMS, count=5, nodes=3, seed=seed)) for seed in (1, 1, 2)
    )
    assert first == again != other
    assert len({made.query for made in first}) == 5


@pytest.mark.parametrize(
    ("references", "kept"),
    [(("12", "$1,200", "2.5", "-3"), True), (("0", "12%", "1/3", "Paris", ""), False)],
)
def test_which_problems_can_be_composed(references: tuple[str, ...], kept: bool) -> None:
    for reference in references:
        assert bool(problems_of([task("She has 3 eggs.", reference)])) is kept, reference


@pytest.mark.parametrize(
    ("text", "replaceable"),
    [
        ("She has 3 eggs and 12 hens.", ["3", "12"]),
        ("It costs $3, or 2.50 less: 1,200 in all.", []),
        ("Half, 1/2 of it, 50% of that on the 3rd of A4.", []),
        ("It ends with 7.", ["7"]),
        ("At 10:30 a well-5 known.", []),
    ],
)
def test_which_numbers_can_be_told_otherwise(text: str, replaceable: list[str]) -> None:
    (problem,) = problems_of([task(text, "5")])
    assert [text[start:end] for start, end in problem.constants] == replaceable


def test_others_than_numbers_are_left_out() -> None:
    assert problems_of([task("Which of 3?", "5", verifier="choice")]) == []


def test_too_long_problems_are_left_out() -> None:
    fits, too_long = (task("She has 3 eggs." + "." * more, "5") for more in (0, LONGEST))
    assert len(problems_of([fits, too_long])) == 1


def test_the_longest_problems_still_fit_in_one_query() -> None:
    long = problems_of([task(f"{n} eggs".ljust(LONGEST, "."), "5") for n in range(10, 20)])
    (made,) = compose(long, count=1, nodes=max(LEVELS.values()), seed=0)
    assert len(made.query) > LONGEST * max(LEVELS.values())


def test_too_few_problems_are_told() -> None:
    with pytest.raises(CompositionError, match=r"needs 3 .* has 2 and 2") as told:
        next(compose(PROBLEMS[:2], count=1, nodes=3, seed=0))
    assert told.value.code == "too_few_problems"


def test_no_task_is_made_twice() -> None:
    few = compose(PROBLEMS[:3], count=1_000, nodes=3, seed=0)
    with pytest.raises(CompositionError, match="Choose fewer tasks") as told:
        list(few)
    assert told.value.code == "too_many_tasks"
    made = list(compose(PROBLEMS[:3], count=30, nodes=3, seed=0))
    assert len({task.query for task in made}) == 30


def test_answers_that_are_too_large_are_told() -> None:
    large = problems_of([task(f"Stars: {n} groups.", str(10**6 + n)) for n in range(5)])
    with pytest.raises(CompositionError, match="product is above 1,000,000,000,000") as told:
        next(compose(large, count=1, nodes=3, seed=0))
    assert told.value.code == "product_out_of_bounds"


def test_the_last_question_asks_for_the_product_of_the_answers_before() -> None:
    base = [task(f"Bo has {n} coins. How many are twice as many?", str(2 * n)) for n in (3, 5, 7)]
    (made,) = compose(problems_of(base), count=1, nodes=3, seed=0)
    graph = TaskGraphSpec.model_validate(made.metadata[TASK_GRAPH])
    *problems, final = graph.subtasks
    asked = question_of(final, graph, {each.id: each.reference or "" for each in problems})
    factors = " × ".join(each.reference or "" for each in problems)
    assert asked.text == f"Multiply the answers of all 3 problems. What is {factors}?"
    assert asked.told == set(final.depends_on)
    assert made.query.endswith(final.text)
