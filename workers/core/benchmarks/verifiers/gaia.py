"""Answers of GAIA, by the rules of its published scorer, so that figures can be compared.

The reference decides how an answer is read:

    a number               the answer, without $, % and commas, is the same number
    with commas or         both are split there; as many elements, and each is the same: numbers as
    semicolons             numbers, others as texts whose punctuation counts
    anything else          the same text

White space and case of texts don't count, nor, outside lists, does ASCII punctuation. The order of
a list counts. A reference `1,205` is a list of two numbers, as it is there.

Two deviations, so that no answer is right by accident. A number is finite: there, any text is the
number infinity, and so is a reference `1e999`. In a text of only punctuation, punctuation counts:
there, all such texts are the same.
"""

import math
import re
import string
from dataclasses import dataclass

from workers.core.benchmarks.base import Verdict
from workers.core.benchmarks.verifiers.reasons import no_answer, no_reference, right, wrong
from workers.core.specs import TaskSpec

_BETWEEN = re.compile("[,;]")
_AROUND_NUMBERS = str.maketrans("", "", "$%,")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_NUMBER_CHARS = 1_000
"""A longer text is no number."""


@dataclass(frozen=True, slots=True)
class Gaia:
    key: str = "gaia"
    name: str = "GAIA"
    description: str = (
        "Compares numbers, lists and texts by the rules of GAIA's scorer: $, %, spaces and case do "
        "not count, and punctuation only in lists."
    )

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        if not task.reference or not task.reference.strip():
            raise no_reference()
        if answer is None:
            return no_answer()
        if _is_same(answer, task.reference):
            return right(answer, task.reference)
        return wrong(answer, task.reference)


def _is_same(answer: str, reference: str) -> bool:
    if (expected := _number(reference)) is not None:
        return _number(answer.translate(_AROUND_NUMBERS)) == expected
    if not _BETWEEN.search(reference):
        return _is_same_text(answer, reference)
    given, wanted = _BETWEEN.split(answer), _BETWEEN.split(reference)
    return len(given) == len(wanted) and all(map(_is_same_element, given, wanted))


def _is_same_element(given: str, wanted: str) -> bool:
    if (expected := _number(wanted)) is not None:
        return _number(given.translate(_AROUND_NUMBERS)) == expected
    return _folded(given) == _folded(wanted)


def _number(text: str) -> float | None:
    if len(text) > _NUMBER_CHARS:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _is_same_text(given: str, wanted: str) -> bool:
    given, wanted = _folded(given), _folded(wanted)
    if words := wanted.translate(_PUNCTUATION):
        return given.translate(_PUNCTUATION) == words
    return given == wanted


def _folded(text: str) -> str:
    return "".join(text.split()).lower()
