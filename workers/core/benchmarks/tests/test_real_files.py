"""The published files, where they are at hand: every row loads and its own answer is right."""

import asyncio
from pathlib import Path

import pytest

from workers.core.benchmarks.benchmark import Benchmark, Row
from workers.core.benchmarks.entry_points import entry_points
from workers.core.benchmarks.gsm8k import GSM8K
from workers.core.benchmarks.humaneval import HUMANEVAL
from workers.core.benchmarks.mbpp import MBPP
from workers.core.benchmarks.readers import read_rows
from workers.core.benchmarks.registry import BENCHMARKS, VERIFIERS
from workers.core.specs import TaskSpec

FOLDER = Path(__file__).resolve().parents[5] / "shared" / "datasets"
SAMPLE = 8


def rows_of(name: str) -> list[Row]:
    path = FOLDER / f"{name}.jsonl"
    if not path.is_file():
        pytest.skip(f"{path.name} is not at hand: put the datasets into ../shared/datasets")
    return [row for _, row in read_rows(path)]


@pytest.mark.parametrize("name", ["gsm8k_train", "gsm8k_dev"])
async def test_gold_numbers_verify(name: str) -> None:
    rows = rows_of(name)
    assert len(rows) in (7_473, 400)
    verifier = VERIFIERS["numeric"]
    for row in rows[:: len(rows) // 100]:
        task = GSM8K.task(row)
        solution = row["answer"].replace("####", "The answer is")
        assert (await verifier.verify(task, answer=task.reference, message="")).correct, task
        last_line = solution.rpartition("\n")[2]
        assert (await verifier.verify(task, answer=last_line, message="")).correct, task
        off_by_one = str(float((task.reference or "").replace(",", "")) + 1)
        assert not (await verifier.verify(task, answer=off_by_one, message="")).correct, task


def sampled(name: str) -> list[Row]:
    rows = rows_of(name)
    return rows[:: max(len(rows) // SAMPLE, 1)]


def solution(benchmark: Benchmark, row: Row) -> str:
    if benchmark is HUMANEVAL:
        return str(row["prompt"] + row["canonical_solution"])
    return str(row["code"])


def broken(program: str, task: TaskSpec) -> str:
    """The same program, except that its last function gives back None."""
    name = entry_points(task)[0]
    return f"{program}\n\n_was = {name}\ndef {name}(*args, **kwargs):\n    _was(*args, **kwargs)\n"


@pytest.mark.parametrize(
    ("benchmark", "name"), [(HUMANEVAL, "humaneval_dev"), (MBPP, "mbpp_train")]
)
async def test_published_solutions_pass_and_broken_ones_fail(
    benchmark: Benchmark, name: str
) -> None:
    verifier = VERIFIERS["unit_tests"]
    limit = asyncio.Semaphore(2)

    async def verdict(task: TaskSpec, program: str) -> tuple[bool, str]:
        async with limit:
            found = await verifier.verify(task, answer=program, message="")
            return found.correct, found.explanation

    async def check(row: Row) -> None:
        task, program = benchmark.task(row), solution(benchmark, row)
        passed, why = await verdict(task, program)
        assert passed, (row["task_id"], why)
        passed, why = await verdict(task, broken(program, task))
        assert not passed, (row["task_id"], program)

    await asyncio.gather(*(check(row) for row in sampled(name)))


@pytest.mark.parametrize(("key", "name"), [("humaneval", "humaneval_dev"), ("mbpp", "mbpp_train")])
def test_every_row_loads(key: str, name: str) -> None:
    for row in rows_of(name):
        task = BENCHMARKS[key].task(row)
        assert task.metadata["tests"].strip()
        assert str(row.get("canonical_solution") or row["code"]).strip() not in task.query


async def test_the_body_alone_is_an_answer() -> None:
    row = rows_of("humaneval_dev")[0]
    task = HUMANEVAL.task(row)
    verdict = await VERIFIERS["unit_tests"].verify(
        task, answer=row["canonical_solution"], message=""
    )
    assert verdict.correct, verdict.explanation
