"""The table of messages, read by us and by others."""

import pytest

from bench import verifiers
from bench.common.other_readers import flexible_extract, strict_match
from bench.tests.conftest import Ran


@pytest.mark.parametrize(
    ("kind", "message", "reference", "strict", "flexible"),
    [
        ("numeric", "48 + 24 = 72\n#### 72", "72", True, True),
        ("numeric", "So it is $1,250.", "1250", False, True),
        ("numeric", "#### 12\nNo: #### 72", "72", False, True),
        ("numeric", "72, since 70 + 2", "72", False, False),
        ("choice", "the answer is (B), not A.", "B", True, False),
        ("latex", "72", "72", None, None),
    ],
)
def test_the_filters_take_the_first_and_the_last_match(
    kind: str, message: str, reference: str, strict: bool | None, flexible: bool | None
) -> None:
    assert strict_match(kind, message, reference) is strict
    assert flexible_extract(kind, message, reference) is flexible


def test_it_ends_with_its_figures(ran: Ran) -> None:
    found, _ = ran(verifiers.main, "--kinds", "exact")
    assert found["bench"] == "verifiers"
    assert found["false_right"] == 0
    assert found["rows"] > 50
    assert found["us_p95"] > 0
