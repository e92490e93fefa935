"""A question without what its benchmark puts around it."""

from typing import Any

import pytest

from workers.core.benchmarks.benchmark import Benchmark
from workers.core.benchmarks.humaneval import HUMANEVAL
from workers.core.benchmarks.math import MATH
from workers.core.benchmarks.mbpp import MBPP
from workers.core.benchmarks.mmlu import MMLU
from workers.core.benchmarks.wording import bare_question

PROMPT = 'import re\n\ndef f(x):\n    """Adds one."""'


@pytest.mark.parametrize(
    ("benchmark", "row", "bare"),
    [
        (MBPP, {"text": "Add one.", "test_list": ["assert f(1) == 2"]}, "Add one."),
        (MATH, {"problem": "What is $1+1$?", "answer": "2"}, "What is $1+1$?"),
        (HUMANEVAL, {"prompt": PROMPT, "entry_point": "f", "test": "def check(c): ..."}, PROMPT),
        (
            MMLU,
            {"question": "Who?", "choices": ["b", "c\nd", "a"], "answer": 0},
            "Who?\na\nb\nc\nd",
        ),
    ],
)
def test_of_a_benchmark(benchmark: Benchmark, row: dict[str, Any], bare: str) -> None:
    query = benchmark.task(row).query
    assert query != bare
    assert bare_question(query) == bare


@pytest.mark.parametrize("query", ["", "1 + 1?", "Say\n\nA. b", "```python\nx\n```"])
def test_other_texts_stay(query: str) -> None:
    assert bare_question(query) == query
