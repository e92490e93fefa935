"""Finds the numbers that a problem can't be solved without.

A composed task (`compositional`) hides one number of a problem behind the answers of others. This
tests something only if the number counts and the text does not reveal it elsewhere.
"""

import re
from collections import Counter
from fractions import Fraction

from workers.core.answers.number_words import in_digits

OPERANDS = "operands"
"""The key of `TaskSpec.metadata` with the numbers that a worked solution calculates with."""

_NUMBER = re.compile(r"\d+(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?|\.\d+")
_CALCULATED = re.compile(r"<<([^<>=]*)=([^<>]*)>>")
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n+")
_MULTIPLES = {
    word: value
    for value, words in {
        1: "one once single first",
        2: "half twice double doubles doubled both couple pair pairs second",
        3: "thrice triple triples tripled third thirds",
        4: "quarter quarters fourth fourths",
        5: "fifth fifths",
        7: "week",
        12: "dozen",
        100: "hundred",
        1000: "thousand",
    }.items()
    for word in words.split()
}
"""Words that mean a number, besides the number words."""
_WORD = re.compile(r"[a-z]+")
_IN_TIME = ("in", "of", "since", "until", "year")
_LABELS = "grade room level class chapter problem question version number no route highway gate"
_LABELS += " apartment platform flight bus line day week round season lane group team box packet"
_NAMED = re.compile(
    rf"(?:\b(?P<label>{'|'.join((*_LABELS.split(), *_IN_TIME))})\.?|#)\s*$", re.IGNORECASE
)
_YEARS = range(1000, 2200)


def operands_of(solution: str) -> list[str] | None:
    """The whole numbers that a solution with GSM8K's marks, `<<48/2=24>>`, calculates with but did
    not compute itself, smallest first. None if it has no such mark."""
    marks = _CALCULATED.findall(solution)
    if not marks:
        return None
    used: set[Fraction] = set()
    worked_out: set[Fraction] = set()
    for calculation, result in marks:
        used.update(_values(calculation))
        worked_out.update(_values(result))
    return [str(each) for each in sorted(used - worked_out) if each.denominator == 1]


def stand_alone(text: str) -> frozenset[Fraction]:
    """The values that exactly one number of the text has, in digits or in words."""
    counted: Counter[Fraction] = Counter()
    for sentence in _SENTENCE.split(text):
        counted.update(_values(in_digits(sentence)))
    # A number word may be read as digits above or not (“one”): counted twice is no harm here, as
    # only numbers in digits are asked for.
    counted.update(Fraction(_MULTIPLES[w]) for w in _WORD.findall(text.lower()) if w in _MULTIPLES)
    return frozenset(value for value, times in counted.items() if times == 1)


def names_only(text: str, span: tuple[int, int]) -> bool:
    """Whether the number at this place names something (“Grade 5”, “in 2017”, “4 o'clock”)."""
    before, after = text[: span[0]], text[span[1] :]
    if re.match(r"(?:-?year-old|\s*o.clock|\s*[ap]\.?m\b)", after, re.IGNORECASE):
        return True
    label = _NAMED.search(before)
    if label is None:
        return False
    in_time = (label["label"] or "").lower() in _IN_TIME
    return not in_time or int(text[slice(*span)]) in _YEARS


def _values(text: str) -> list[Fraction]:
    return [Fraction(number.replace(",", "")) for number in _NUMBER.findall(text)]
