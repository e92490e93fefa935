"""The built-in tasks: their own answers are right, and other answers are wrong."""

import pytest

from workers.core.benchmarks.registry import VERIFIERS
from workers.core.benchmarks.tiny import TINY_SPLITS, tiny_tasks
from workers.core.specs import TaskSpec

TASKS = [task for split in TINY_SPLITS for task in tiny_tasks(split)]


def test_the_splits_share_no_task() -> None:
    assert len({task.query for task in TASKS}) == len(TASKS)
    assert [len(tiny_tasks(split)) for split in TINY_SPLITS] == [20, 16]
    assert {task.verifier for task in TASKS} == {"numeric", "choice", "unit_tests"}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.query[:30])
async def test_the_reference_is_right_and_others_are_wrong(task: TaskSpec) -> None:
    assert task.verifier is not None
    assert task.reference is not None
    verifier = VERIFIERS[task.verifier]
    right = await verifier.verify(task, answer=task.reference, message="")
    assert right.correct, right.explanation
    for answer in wrong_answers(task):
        wrong = await verifier.verify(task, answer=answer, message="")
        assert not wrong.correct, (answer, wrong.explanation)


def wrong_answers(task: TaskSpec) -> list[str]:
    assert task.reference is not None
    if task.verifier == "numeric":
        return [str(float(task.reference) + 1), "no idea"]
    if task.verifier == "choice":
        return [letter for letter in "ABCD" if letter != task.reference]
    name = task.metadata["entry_point"]
    return [f"def {name}(*args):\n    return None", "pass"]
