"""The table of messages and verdicts: nothing wrong is called right."""

import json

import pytest

from workers.core.evaluation.answer_table import KINDS, Kind, judged, rows

FALSE_WRONG: frozenset[tuple[Kind, int]] = frozenset({("choice", 84), ("exact", 55), ("code", 41)})
"""Right messages that are judged wrong, by kind and line, at most three: “of B and C, B fits best”
is left open, and “Final answer - Paris” is no form of an answer (a dash may be a minus), and only
the prose says that the last program is an example of a mistake."""


def test_it_has_as_many_wrong_messages_as_right_ones_of_every_kind() -> None:
    every = [*rows()]
    assert len(every) >= 300
    assert abs(2 * sum(row.right for row in every) - len(every)) <= 0.05 * len(every)
    assert {row.kind for row in every} == {*KINDS}
    asked = {
        json.dumps([row.kind, row.message, row.reference, row.metadata], sort_keys=True)
        for row in every
    }
    assert len(asked) == len(every), "a row stands twice"
    assert len(FALSE_WRONG) <= 3


@pytest.mark.parametrize("kind", KINDS)
async def test_every_verdict_is_the_one_of_the_table(kind: Kind) -> None:
    verdicts = [(row, await judged(row)) for row in rows(kind)]
    assert not [row for row, right in verdicts if right and not row.right], "false right"
    missed = {(row.kind, row.line) for row, right in verdicts if row.right and not right}
    assert missed == {place for place in FALSE_WRONG if place[0] == kind}
