"""Composes tasks from the problems of any numeric dataset (ReSo, EMNLP 2025, §4.1).

A task is a random directed acyclic graph of base problems. In each problem with parents, one
constant is replaced by the sum of its parents' answers and an adjustment. So it can't be solved
before them, and its answer stays the same. The final answer is the product of all answers.

1. Every problem but the first has one or two parents among those before it. The paper leaves the
   distribution open; this way no problem is isolated.
2. Problems with the answer 0 are left out: the product would always be 0.
3. The paper caps the product's magnitude without naming the cap. Here it is `MOST`, which a float
   holds exactly.
4. The paper replaces any constant. Here it must be one that the problem can't be solved without: no
   other number of the text, in digits or in words, has its value, and the problem's solution
   calculates with it. Only GSM8K's solutions are known (`OPERANDS`). Elsewhere numbers that only
   name something (years, “Grade 5”) are left out by their wording, and so is 1.
5. The adjustment is never 0: a sum with “+ 0” would reveal that the number is the parents' own.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction

from pydantic import ValidationError

from workers.core.answers.quantities import is_number, quantity
from workers.core.benchmarks.answer_names import answer_of, name_of, question_of
from workers.core.benchmarks.operands import OPERANDS, names_only, stand_alone
from workers.core.specs import SubtaskSpec, TaskGraphSpec, TaskSpec

LEVELS = {"easy": 3, "medium": 5, "hard": 7}
"""Problems in a task."""
MOST = 10**12
"""Greatest magnitude of a final answer."""
TRIES = 200
"""Limit of draws: of problems for one graph, until their product is small enough, and of a task,
until it is a new one."""
LONGEST = 10_000
"""Character limit of a base problem: the hardest task must still fit one query."""
PARENTS = 2
FINAL = "final"
TASK_GRAPH = "task_graph"
"""The key of `TaskSpec.metadata` that holds the `TaskGraphSpec`."""

# A whole number that is no part of a fraction, a decimal, grouped digits, a word or an ordinal.
_CONSTANT = re.compile(r"(?<![\w.,/:$€£-])\d{1,4}(?![\w%/:]|[.,]\d)")


class CompositionError(Exception):
    """No such tasks can be made from these problems. The message says why and what would help.
    `code` is stable."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Problem:
    """A base problem. `answer` is exact. `constants` are the places of numbers that can be
    replaced."""

    text: str
    answer: Fraction
    constants: tuple[tuple[int, int], ...]


def problems_of(tasks: Iterable[TaskSpec]) -> list[Problem]:
    """The tasks that can be composed: with one exact number other than 0 as the reference, and at
    most `LONGEST` characters."""
    found = []
    for task in tasks:
        answer = _number(task.reference)
        if task.verifier == "numeric" and answer and len(task.query) <= LONGEST:
            text = task.query.strip()
            found.append(Problem(text, answer, _constants(text, task.metadata.get(OPERANDS))))
    return found


def _constants(text: str, operands: object) -> tuple[tuple[int, int], ...]:
    """The places of the numbers that the problem can't be solved without. `operands`: the stored
    numbers that its solution calculates with; anything else means unknown."""
    alone = stand_alone(text)
    known = frozenset(map(str, operands)) if isinstance(operands, list) else None

    def matters(match: re.Match[str]) -> bool:
        if known is not None:
            return str(int(match[0])) in known
        return int(match[0]) > 1 and not names_only(text, match.span())

    return tuple(
        match.span()
        for match in _CONSTANT.finditer(text)
        if Fraction(match[0]) in alone and matters(match)
    )


def compose(
    problems: Sequence[Problem], *, count: int, nodes: int, seed: int, level: str = ""
) -> Iterator[TaskSpec]:
    """`count` different tasks of `nodes` problems each. The same seed gives the same tasks.

    Raises CompositionError if there are too few problems, or if every product is out of bounds.
    """
    dependent = [problem for problem in problems if problem.constants]
    if len(problems) < nodes or len(dependent) < nodes - 1:
        raise CompositionError(
            "too_few_problems",
            f"A task of {nodes} problems needs {nodes} problems with a number as their answer. "
            "All but one of them need a whole number in their text. The split has "
            f"{len(problems)} and {len(dependent)} such problems. Choose a larger split, or "
            "fewer problems per task.",
        )
    generator = random.Random(seed)  # noqa: S311  tasks, no secrets

    def drawn() -> TaskSpec:
        parents = _random_parents(nodes, generator)
        chosen = _within_bounds(problems, dependent, parents, generator)
        return _task(chosen, parents, generator, domain=level)

    made: set[str] = set()
    for _ in range(count):
        task = _unlike(made, drawn)
        made.add(task.query)
        yield task


def _unlike(made: Set[str], draw: Callable[[], TaskSpec]) -> TaskSpec:
    for _ in range(TRIES):
        task = draw()
        if task.query not in made:
            return task
    raise CompositionError(
        "too_many_tasks",
        f"These problems give hardly more than {len(made):,} different tasks of one level. "
        "Choose fewer tasks, or a larger split.",
    )


def _random_parents(nodes: int, generator: random.Random) -> list[list[int]]:
    """The problems that each problem depends on; all come before it."""
    return [
        sorted(generator.sample(range(place), generator.randint(1, min(place, PARENTS))))
        if place
        else []
        for place in range(nodes)
    ]


def _within_bounds(
    problems: Sequence[Problem],
    dependent: Sequence[Problem],
    parents: Sequence[Sequence[int]],
    generator: random.Random,
) -> list[Problem]:
    nodes = len(parents)
    for _ in range(TRIES):
        chosen = [generator.choice(problems), *generator.sample(dependent, nodes - 1)]
        if len({problem.text for problem in chosen}) < nodes or abs(_product(chosen)) > MOST:
            continue
        if all(
            _adjusted(chosen, place, parents[place]) for place in range(nodes) if parents[place]
        ):
            return chosen
    raise CompositionError(
        "product_out_of_bounds",
        f"None of {TRIES} draws of {nodes} problems can be composed: their product is above "
        f"{MOST:,}, or a number to hide equals the answer that replaces it. Choose problems "
        "with smaller answers, or fewer problems per task.",
    )


def _adjusted(
    chosen: Sequence[Problem], place: int, parents: Sequence[int]
) -> list[tuple[tuple[int, int], Fraction]]:
    """The constants of the problem at this place that its parents' answers can replace, each with
    the adjustment to their sum, which is never 0."""
    problem, told = chosen[place], sum(chosen[parent].answer for parent in parents)
    found = [(span, Fraction(problem.text[slice(*span)]) - told) for span in problem.constants]
    return [(span, adjustment) for span, adjustment in found if adjustment]


def _task(
    chosen: Sequence[Problem],
    parents: Sequence[Sequence[int]],
    generator: random.Random,
    *,
    domain: str,
) -> TaskSpec:
    subtasks = [
        SubtaskSpec(
            id=f"p{place + 1}",
            text=_told(chosen, place, parents[place], generator),
            depends_on=tuple(f"p{parent + 1}" for parent in parents[place]),
            reference=_written(problem.answer),
        )
        for place, problem in enumerate(chosen)
    ]
    answer = _written(_product(chosen))
    product = " × ".join(answer_of(name_of(place)) for place in range(1, len(chosen) + 1))
    final = SubtaskSpec(
        id=FINAL,
        text=f"Multiply the answers of all {len(chosen)} problems. What is {product}?",
        depends_on=tuple(subtask.id for subtask in subtasks),
        reference=answer,
    )
    graph = TaskGraphSpec(subtasks=(*subtasks, final))
    told = "\n\n".join(
        f"Problem {place}: {subtask.text}" for place, subtask in enumerate(subtasks, start=1)
    )
    return TaskSpec(
        query=f"Solve these {len(chosen)} problems. Some of them need the answers of others.\n\n"
        f"{told}\n\n{final.text}",
        reference=answer,
        domain=domain,
        verifier="numeric",
        metadata={TASK_GRAPH: graph.model_dump(mode="json")},
    )


def _told(
    chosen: Sequence[Problem], place: int, parents: Sequence[int], generator: random.Random
) -> str:
    """The problem with one constant replaced by its parents' answers."""
    text = chosen[place].text
    if not parents:
        return text
    (start, end), adjustment = generator.choice(_adjusted(chosen, place, parents))
    answers = " + ".join(answer_of(name_of(parent + 1)) for parent in parents)
    sign = "-" if adjustment < 0 else "+"
    told = f"({answers} {sign} {_written(abs(adjustment))})"
    return f"{text[:start]}{told}{text[end:]}"


def base_problems(query: str, task_graph: object) -> tuple[str, ...]:
    """The inverse of `_told`: the problems of a composed task from its stored task graph, each with
    its own number again if the answers are known. () for any other task."""
    try:
        graph = TaskGraphSpec.model_validate(task_graph)
    except ValidationError:
        return ()
    *problems, final = graph.subtasks
    if final.id != FINAL or not all(problem.text in query for problem in problems):
        return ()
    answers = {problem.id: problem.reference or "" for problem in problems}
    return tuple(question_of(problem, graph, answers).text for problem in problems)


def _product(problems: Sequence[Problem]) -> Fraction:
    product = Fraction(1)
    for problem in problems:
        product *= problem.answer
    return product


def _number(reference: str | None) -> Fraction | None:
    """The exact decimal number; None if it is not one."""
    if reference is None or not is_number(reference):
        return None
    found = quantity(reference)
    if found is None or found.percent or 10**4 % found.value.denominator:
        return None
    return found.value


def _written(value: Fraction) -> str:
    """The number as a decimal without an exponent."""
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.10f}".rstrip("0")
