r"""Decides when two answers are the same, for verifiers, votes and MasHost's state.

Quantities are compared by value and unit: `18 dollars`, `$18` and `18 clips` are 18; `50%` and
`0.5` are equal, `$5` and `€5` are not. Option letters are compared with or without their text (`C)
blue` and `C`), anything else as text, LaTeX without its layout. “Equal” is not transitive: 50%
equals 50 and 0.5. So answers are grouped such that all in a group equal each other.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from workers.core.answers.commitment import final_quantity
from workers.core.answers.latex_notation import latex_notation
from workers.core.answers.notation import boxed, plain_maths, plain_text
from workers.core.answers.number_words import in_digits
from workers.core.answers.quantities import Quantity, has_no_unit, is_part, quantities
from workers.core.answers.units import UNITS

READ_CHARS = 2_000
_RELATIVE = Fraction(1, 1_000_000)
_WHOLE = Fraction(1, 10_000)


def equal_quantities(given: Quantity, expected: Quantity, allowed: Fraction | None = None) -> bool:
    """Whether the given quantity is the expected one, up to `allowed` (`default_tolerance`).

    A bare number takes the unit of the other; a percentage is no amount of money or length. An
    expected value without a finite decimal expansion, such as 1/3, also equals its value rounded to
    at least three significant digits.
    """
    if (given.percent and expected.unit) or (expected.percent and given.unit):
        return False
    if allowed is None:
        allowed = default_tolerance(expected)
    value = _in_unit_of(expected, given)
    return value is not None and any(
        abs(reading - expected.value) <= allowed or _is_rounding(reading, given, expected)
        for reading in _percent_read(value, given, expected)
    )


def default_tolerance(expected: Quantity) -> Fraction:
    """A millionth of the value, for a whole number at most 0.0001: the size of floating point
    errors."""
    relative = _RELATIVE * abs(expected.value)
    return min(relative, _WHOLE) if expected.value.denominator == 1 else relative


@dataclass(frozen=True, slots=True)
class Meaning:
    """An answer as it is read. `bare`: it is that quantity and nothing else. `told`: it commits to
    it in a sentence. `name`: the variable of `x = 5`. `letter` names an option, whose text may
    follow as `option`."""

    text: str
    name: str = ""
    bare: Quantity | None = None
    told: Quantity | None = None
    letter: str = ""
    option: str = ""


@lru_cache(maxsize=4_096)
def meaning(answer: str) -> Meaning:
    text = _unboxed(answer[:READ_CHARS])
    letter = _LETTER.fullmatch(text)
    if letter:
        name, option = letter[1] or letter[2], plain_text(letter[3] or "")
        return Meaning(_as_text(text), letter=name.casefold(), option=option)
    bare = _bare(text)
    told = final_quantity(text) if bare is None and _SENTENCE.search(text) else None
    named = _NAMED.match(text)
    return Meaning(_as_text(text), named[1] if named else "", bare, told)


def same_answer(left: str, right: str) -> bool:
    """Whether two answers to one question are the same. Symmetric."""
    first, second = meaning(left), meaning(right)
    if first.text == second.text:
        return True
    if first.letter or second.letter:
        return first.letter == second.letter and _options_agree(first, second)
    if first.name and second.name and first.name != second.name:
        return False
    one, other = first.bare or first.told, second.bare or second.told
    return one is not None and other is not None and _either_way(one, other)


def grouped(answers: Sequence[str]) -> list[list[int]]:
    """The positions of equal answers, groups and positions in the order of the answers. An answer
    joins the first group whose members all equal it."""
    groups: list[list[int]] = []
    for place, answer in enumerate(answers):
        for group in groups:
            if all(same_answer(answers[member], answer) for member in group):
                group.append(place)
                break
        else:
            groups.append([place])
    return groups


def exact_value(answer: str) -> Fraction | None:
    """The number that an answer is, a percentage as hundredths. None for an answer with words or
    anything else."""
    bare = None if _WORDS.search(answer) else meaning(answer).bare
    return None if bare is None else bare.value / (100 if bare.percent else 1)


_LETTER = re.compile(
    r"[\s*_`$]{0,8}(?:(?:option|choice|answer)\s{1,3})?"
    r"(?:[(\[]?([A-Za-z])[)\].:]?[\s*_`$.]{0,8}|[(\[]?([A-Z])[)\].:][*_`]{0,4}\s{1,4}(\S.{0,1000}))",
    re.IGNORECASE | re.DOTALL,
)
_WORDS = re.compile(r"[a-df-z]|e(?![-+\d])", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:\W|[a-z]\w{0,2}(?:\([a-z]\))?\s?=|\b(?:about|approximately|approx|around|roughly|exactly"
    r"|only|just|a|of|total|is|it|the|answer|final|result|are|equals|rs|usd|eur|gbp|inr)\b)*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"^\W{0,9}\d|=|\b(?:is|are|was|were|has|have|had|will|would|can|sold|equals?|makes?|made|leaves?"
    r"|left|totals?|costs?|spends?|spent|earns?|earned|needs?|gets?|got|takes?|took|pays?|paid)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[\W_]{0,4}([a-zA-Z]\w{0,2}(?:\([a-z]\))?)\s?=")
_LAYOUT = re.compile(
    r"\\(?:left|right|displaystyle|!|,|;|:|quad|text|mathrm|mbox)(?![a-zA-Z])|[\s$]|\\[()\[\]]"
)
_MATHS = re.compile(
    r"(?=[^√∛∜²³⁰-⁹π∞≤≥±=+*/^\\()\[\]{}]{0,200}[√∛∜²³⁰-⁹π∞≤≥±=+*/^\\()\[\]{}]|\W{0,9}(?:\d{1,9}\W?)?(?:pi|oo|inf)\b)"
    r"(?:(?:\\[a-z]+|sqrt|sin|cos|tan|log|exp|pi|ln|inf|infinity|[a-z])(?![a-z])|[^a-z]){1,200}",
    re.IGNORECASE,
)
"""An expression without words, in which spaces around signs and the spelling of signs say
nothing."""
_GAPS = re.compile(r"[ ]?([()\[\]{}=<>])[ ]?|[ ]?(,)[ ]?(?!\d{3}(?!\d))(?![ ])")
_FACTORIAL = re.compile(r"[\d)}]\s?!(?!=)|\b[a-z]!(?!=)")
_BRACES = re.compile(r"\{(\w)\}")


def _unboxed(answer: str) -> str:
    boxes = boxed(answer)
    text = boxes[-1] if len(boxes) == 1 else answer
    return re.sub(r"^\s*\\text(?:bf)?\s?\{([^{}]*)\}\s*$", r"\1", text).strip()


def _bare(text: str) -> Quantity | None:
    plain = plain_maths(text)
    if len(plain) < 80 and not re.search(r"\d", plain):
        plain = in_digits(plain)
    found = quantities(plain)
    if len(found) != 1 or is_part(plain, found[0]):
        return None
    before, after = plain[: found[0].start], plain[found[0].end :]
    alone = len(before) < 80 and _LABEL.fullmatch(before) and not has_no_unit(after)
    return found[0] if alone and len(after) < 80 else None


def _as_text(text: str) -> str:
    """The answer as words, an expression as LaTeX without layout. `10!` is not 10."""
    if _MATHS.fullmatch(text):
        text = latex_notation(text)
    plain = _GAPS.sub(r"\1\2", plain_text(text))
    if "\\" in text or "^" in text or "_" in plain:
        plain = _LAYOUT.sub("", re.sub(r"\\[dt]frac", r"\\frac", plain))
        plain = _BRACES.sub(r"\1", plain)
    return plain + "!" * len(_FACTORIAL.findall(text))


def _options_agree(first: Meaning, second: Meaning) -> bool:
    return not first.option or not second.option or first.option == second.option


def _either_way(first: Quantity, second: Quantity) -> bool:
    return equal_quantities(first, second) or equal_quantities(second, first)


def _percent_read(value: Fraction, given: Quantity, expected: Quantity) -> list[Fraction]:
    if given.percent == expected.percent:
        return [value]
    if expected.percent:
        return [value, value * 100]
    return [value, value / 100] if abs(expected.value) <= 1 else [value]


def _in_unit_of(expected: Quantity, given: Quantity) -> Fraction | None:
    """The given value in the expected unit; None if it measures something else."""
    if given.unit is None:
        return given.value
    given_dimension, given_factor = UNITS[given.unit]
    dimension, factor = UNITS[expected.unit] if expected.unit else ("", Fraction(1))
    if dimension == given_dimension or (given_dimension, dimension) == ("count", ""):
        return given.value * given_factor / factor
    return given.value if expected.unit is None else None


def _is_rounding(reading: Fraction, given: Quantity, expected: Quantity) -> bool:
    """Whether `reading` is an endless decimal expansion, correctly cut or rounded."""
    if given.decimals is None or given.decimals < 1 or _is_finite(expected.value):
        return False
    last_digit = Fraction(1, 10**given.decimals)
    if abs(given.value) < 100 * last_digit:
        return False
    return abs(reading - expected.value) <= abs(reading / given.value) * last_digit / 2


def _is_finite(value: Fraction) -> bool:
    """Whether the decimal expansion ends: no prime but 2 and 5 in the denominator."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1
