r"""Reading numbers with what belongs to them: sign, currency, fraction, exponent, percent, unit.

Every repetition in the patterns is bounded: a model's text must not make matching take long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from workers.core.benchmarks.verifiers.notation import plain_maths
from workers.core.benchmarks.verifiers.number_words import number_in_words
from workers.core.benchmarks.verifiers.units import UNITS

_MAX_CHARS = 4_000
_MAX_EXPONENT = 400
_NUMBER = r"(?:(?:\d{1,3}(?:,\d{3}){1,20}(?!\d)|\d{1,400})(?:\.\d{1,400})?|\.\d{1,400})"
_SCALES = {
    "k": 10**3,
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_QUANTITY = re.compile(
    rf"""
    (?P<sign> (?<![\w)\]}}%.]) [-+] [ ]? | \b(?:minus|negative)\s{{1,3}} )?
    (?P<currency> [$€£¢] \s? )?
    (?P<inner> (?<=[$€£]) [-+] )?
    (?: (?<![\w.]) (?P<whole> \d{{1,30}}) \s{{1,3}} (?P<top> \d{{1,30}}) \s?/\s?
            (?P<bottom> \d{{1,30}}) (?![\d.])
      | (?<![\d.]) (?P<numerator> {_NUMBER}) \s?/\s? (?P<denominator> -?{_NUMBER})
      | (?<![\d.]) (?P<plain> {_NUMBER})
        (?: e (?P<exponent> [-+]?\d{{1,4}}) \b
          | \s? (?:\*|x) \s? 10 \s? (?:\^|\*\*) \s? \(? (?P<tens> [-+]?\d{{1,4}}) \)?
          | \s? \^ \s? (?P<power> [-+]?\d{{1,4}}) )? )
    (?: \s{{0,2}} (?P<scale> hundred|thousand|million|billion|trillion|(?<=\d)k) \b )?
    (?P<percent> \s{{0,2}} (?: % | per\s?cent\b ) )?
    (?: [\s-]{{0,2}} (?P<unit> [a-z]{{1,20}} | [$€£¢] ) (?! \w | \s{{0,2}}(?:/|per\b) ) )?
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """`value` is exact; `percent` says that it stands for a hundredth of that. `unit` is a key of
    `UNITS`, or None. `decimals`: digits after the point, None for a fraction."""

    value: Fraction
    percent: bool = False
    unit: str | None = None
    decimals: int | None = 0
    start: int = 0
    end: int = 0


def final_quantity(text: str) -> Quantity | None:
    """The one quantity that an answer commits to, or None.

    Of several: what follows the last `=` or `≈`; else what the closing words (`so`, `total`, …)
    introduce; else the last one before words that only explain it (`18 dollars for 2 days`,
    `12 (3 boxes of 4)`). A number in words counts where there are no digits.
    """
    text = plain_maths(text[-_MAX_CHARS:])
    text = re.split(r"[=≈]|\bequals\b", text)[-1] if re.search(r"[=≈]\D{0,40}\d", text) else text
    found = list(_found(text))
    if not found:
        return _in_words(text)
    if len(found) == 1:
        return found[0]
    return _committed(text, found)


def quantity(text: str) -> Quantity | None:
    """The quantity that `text` is, with nothing but its own sign, currency and unit words."""
    found = list(_found(plain_maths(text[:_MAX_CHARS])))
    return found[0] if len(found) == 1 else None


_NUMBER_MARKS = re.compile(r"[\s\d.,+\-/$€£%^{}]|\\(?:[dtc]?frac|[$%,!])")


def is_number(text: str) -> bool:
    """Whether `text` is one number and nothing but its digits, sign, currency and percent."""
    return len(text) < 200 and not _NUMBER_MARKS.sub("", text) and quantity(text) is not None


_CLOSING = re.compile(
    r"\b(?:so|thus|hence|therefore|total(?:s|ing)?(?: of)?|altogether|makes|leaves|left with"
    r"|answer(?: is|:))\b",
    re.IGNORECASE,
)
_EXPLAINING = re.compile(
    r"[(\[]|\b(?:per|for|in|each|every|of|out of|over|after|from|within|when|if|because|since|with"
    r"|at|by)\b",
    re.IGNORECASE,
)


def _committed(text: str, found: list[Quantity]) -> Quantity:
    start = 0
    for word in _CLOSING.finditer(text):
        if any(each.start >= word.end() for each in found):
            start = word.end()
    rest = [each for each in found if each.start >= start]
    for word in _EXPLAINING.finditer(text, start):
        before = [each for each in rest if each.end <= word.start()]
        if before:
            return before[-1]
    return rest[-1]


def _found(text: str) -> Iterator[Quantity]:
    for match in _QUANTITY.finditer(text):
        read = _read(match)
        if read is not None:
            yield read


def _read(match: re.Match[str]) -> Quantity | None:
    """None for what no number is, such as a division by zero or an absurd exponent."""
    parts = match.groupdict()
    value = _value(parts)
    if value is None:
        return None
    if (parts["sign"] or "").strip().lower() in {"-", "minus", "negative"}:
        value = -value
    if parts["inner"] == "-":
        value = -value
    value *= _SCALES.get((parts["scale"] or "").lower(), 1)
    plain = parts["plain"]
    unit = (parts["unit"] or parts["currency"] or "").strip().lower()
    return Quantity(
        value=value,
        percent=parts["percent"] is not None,
        unit=unit if unit in UNITS else None,
        decimals=len(plain.partition(".")[2]) if plain else None,
        start=match.start(),
        end=match.start("unit") if parts["unit"] and unit not in UNITS else match.end(),
    )


def _value(parts: dict[str, str | None]) -> Fraction | None:
    if parts["whole"] and parts["top"] and parts["bottom"]:
        part = _ratio(parts["top"], parts["bottom"])
        return None if part is None else int(parts["whole"]) + part
    if parts["numerator"] and parts["denominator"]:
        return _ratio(parts["numerator"], parts["denominator"])
    number = _number(parts["plain"] or "0")
    exponent = int(parts["exponent"] or parts["tens"] or 0)
    power = int(parts["power"] or 1)
    if abs(exponent) > _MAX_EXPONENT or abs(power) > _MAX_EXPONENT or (number == 0 and power < 0):
        return None
    if abs(power) * max(number.numerator.bit_length(), number.denominator.bit_length()) > 20_000:
        return None
    return number**power * Fraction(10) ** exponent


def _ratio(top: str, bottom: str) -> Fraction | None:
    below = _number(bottom)
    return _number(top) / below if below else None


def _number(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def _in_words(text: str) -> Quantity | None:
    value = number_in_words(text)
    return None if value is None else Quantity(Fraction(value))
