"""The table of messages, read by us and by others."""

from __future__ import annotations

import json

import pytest

from bench import verifiers
from bench.common.other_readers import flexible_extract, strict_match


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


def test_it_ends_with_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    verifiers.main(["--kinds", "exact"])
    found = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert found["bench"] == "verifiers"
    assert found["false_right"] == 0
    assert found["rows"] > 50
    assert found["us_p95"] > 0
