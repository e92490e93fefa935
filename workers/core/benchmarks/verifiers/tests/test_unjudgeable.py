"""Tests that can judge, and tests that cannot."""

import pytest

from workers.core.benchmarks.benchmark import RowError
from workers.core.benchmarks.custom import CUSTOM
from workers.core.benchmarks.verifiers.unjudgeable import why_unjudgeable

POINT = "class P:\n    def __init__(self, x):\n        self.x = x\n"


@pytest.mark.parametrize(
    "tests",
    [
        "assert f(1) == 2",
        f"{POINT}assert f(1) == P(1).x",
        f"{POINT}p = P(1)\nassert f(p.x and 1) == 1".replace("p.x and ", ""),
        f"{POINT}def same(a, b):\n    return a == b\nassert same(P(1), P(1)) or f(1)",
        "class E(Exception):\n    pass\nassert f(E) == 1",
        f"{POINT}assert len([P(1)]) == f(1)",
        "import datetime\nassert f(datetime.date(2020, 1, 1)) == 1",
    ],
)
def test_tests_that_judge(tests: str) -> None:
    assert why_unjudgeable(tests) is None


@pytest.mark.parametrize(
    "tests",
    [
        f"{POINT}assert f(P(3)) == 3",
        f"{POINT}p = P(3)\nassert f(p) == 3",
        f"{POINT}ps = [P(3)]\nassert f(xs=ps) == 3",
        "assert (",
    ],
)
def test_tests_that_do_not(tests: str) -> None:
    assert why_unjudgeable(tests)
    with pytest.raises(RowError, match="these tests can't judge"):
        CUSTOM.task({"query": "q", "tests": tests})
