"""MBPP: basic Python problems (Austin et al. 2021, arXiv 2108.07732)."""

from workers.core.benchmarks.benchmark import (
    Benchmark,
    Column,
    HubSource,
    Row,
    RowError,
    text,
    texts,
)
from workers.core.benchmarks.wording import CODE_END, TESTS
from workers.core.specs import TaskSpec


def _task(row: Row) -> TaskSpec:
    """The tests are part of the question: only they name the function. The sanitised edition calls
    the text `prompt` and lists `test_imports`."""
    wanted = (text(row, "text") or text(row, "prompt")).strip()
    if not wanted:
        raise RowError("the columns “text” and “prompt” are both missing or empty")
    tests = [test.strip() for test in texts(row, "test_list")]
    if not tests:
        raise RowError("the column “test_list” is empty")
    setup = "\n".join([*texts(row, "test_imports"), text(row, "test_setup_code")])
    setup = setup.replace("\r\n", "\n").strip()
    shown = "\n".join(tests)
    return TaskSpec(
        query=f"{wanted}{TESTS}{shown}{CODE_END}",
        reference=text(row, "code").replace("\r\n", "\n") or None,
        domain="programming",
        answer_form="code",
        verifier="unit_tests",
        metadata={"tests": "\n".join([*([setup] if setup else []), *tests])},
    )


MBPP = Benchmark(
    key="mbpp",
    name="MBPP",
    description="Basic Python problems: one sentence and three tests each.",
    licence="CC BY 4.0",
    verifier="unit_tests",
    answer_form="code",
    columns=(
        Column("text", "the problem; also read from “prompt”", required=False),
        Column("test_list", "assertions, a list of texts"),
        Column("test_setup_code", "code to run before the tests", required=False),
        Column("test_imports", "imports of the tests, a list of texts", required=False),
        Column("code", "a solution", required=False),
    ),
    to_task=_task,
    hub=HubSource(
        "google-research-datasets/mbpp",
        "full",
        {"train": "train", "dev": "validation", "test": "test"},
    ),
)
