r"""Reads numbers with their sign, currency, fraction, exponent, percent and unit.

Every repetition in the patterns is bounded: a model's text must not make matching take long.
"""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from workers.core.answers.arithmetic import power
from workers.core.answers.marks import is_marked
from workers.core.answers.notation import plain_maths
from workers.core.answers.units import UNITS

_MAX_CHARS = 4_000
_MAX_EXPONENT = 400
_GROUPED = (
    r"[1-9]\d{0,2}(?:,\d{3}){1,20}(?!\d)|[1-9]\d?(?:,\d{2}){1,9},\d{3}(?!\d)"  # also 12,34,567
)
_NUMBER = rf"(?:(?:{_GROUPED}|\d{{1,400}})(?:\.\d{{1,400}})?|\.\d{{1,400}})"
_SCALES = {
    word: 10**zeros
    for zeros, words in {
        2: "hundred hundreds 百 백",
        3: "k thousand thousands 千 천 тыс",
        4: "万 萬 만",
        5: "lakh lakhs lac lacs",
        6: "m mm mn mln mio million millions млн",
        7: "cr crore crores",
        8: "億 亿 억",
        9: "b bn mrd milliard milliards billion billions млрд",
        12: "t tn trillion trillions",
        15: "quadrillion quadrillions",
    }.items()
    for word in words.split()
}
_SCALE_WORDS = "|".join(sorted((word for word in _SCALES if len(word) > 2), key=len)[::-1])
_SCALE = (
    rf"(?:{_SCALE_WORDS}|bn|mn|tn|(?<=\d)(?:k|(?-i:[MBT])|cr)|(?<=\d[ ])cr(?=\b)"
    r"|(?<=[\d百千백천])[百千万萬億亿백천만억])"
)
_SCALE_END = r"(?:\b|(?<=[百千万萬億亿백천만억]))"
_QUANTITY = re.compile(
    rf"""
    (?P<sign> (?<![\w)\]}}%.]) (?<![\d%][ ]) [-+] [ ]? | \b(?:minus|negative)\s{{1,3}} )?
    (?P<currency> [$€£¢¥₹₽₩₪₫₱฿₺₴₦] \s? )?
    (?P<inner> (?<=[$€£¥₹₽₩₪₫₱฿₺₴₦]) [-+] )?
    (?: (?<![\w.]) (?P<whole> \d{{1,30}}) \s{{1,3}} (?P<top> \d{{1,30}}) \s?/\s?
            (?P<bottom> \d{{1,30}}) (?![\d.])
      | (?<![\d.]) (?P<numerator> {_NUMBER}) \s?/\s? (?P<denominator> -?{_NUMBER})
      | (?<![\d.]) (?P<plain> {_NUMBER})
        (?: e (?P<exponent> [-+]?\d{{1,4}}) \b
          | \s? (?:\*|x) \s? 10 \s? (?:\^|\*\*) \s? \(? (?P<tens> [-+]?\d{{1,4}}) \)?
          | \s? \^ \s? (?P<power> [-+]?\d{{1,4}}) )? )
    (?: \s{{0,2}} (?P<scale> {_SCALE} | (?(currency)(?:[mbt]|mm)) ) {_SCALE_END}
        (?: \s{{0,2}} (?P<more> {_SCALE} ) {_SCALE_END} )? )?
    (?P<percent> \s{{0,2}} (?: % | ‰ | (?:per\s?cent|pct)\b ) )?
    (?: [\s-]{{0,4}} (?P<unit> [a-z]{{1,20}} | [$€£¢] ) (?! \w | \s{{0,2}}(?:/|per\b) ) )?
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """`value` is exact. `percent` means a hundredth of it. `unit` is a key of `UNITS`, or None.
    `decimals`: digits after the point, None for a fraction. `start` and `end` are its place in the
    text."""

    value: Fraction
    percent: bool = False
    unit: str | None = None
    decimals: int | None = 0
    start: int = 0
    end: int = 0


def quantity(text: str) -> Quantity | None:
    """The quantity that `text` is, with only its own sign, currency and unit words."""
    plain = plain_maths(text[:_MAX_CHARS])
    found = quantities(plain)
    return found[0] if len(found) == 1 and not is_part(plain, found[0]) else None


_NUMBER_MARKS = re.compile(r"[\s\d.,+\-/$€£%^{}]|\\(?:[dtc]?frac|[$%,!])")


def is_number(text: str) -> bool:
    """Whether `text` is one number with only digits, sign, currency and percent."""
    return len(text) < 200 and not _NUMBER_MARKS.sub("", text) and quantity(text) is not None


_TEXT = re.compile(
    r"\\(?:text|mathrm|mbox|textbf)\s?\{([a-zA-Z\s.~-]{0,60})\}(?:\s?\^\s?\{?[23]\}?)?"
)
_NO_UNIT = re.compile(
    r"\b(?:or|and|to|not|than|least|most|more|less|between|mod|above|below|sqrt|log|ln|exp|min|max|det"
    r"|(?:arc)?(?:sin|cos|tan|cot|sec|csc)|gcd|lcm|base|factorial)\b",
    re.IGNORECASE,
)
_PROSE = re.compile(r"(?:[a-zA-Z]{2,20}(?![a-zA-Z\d])|[\s.:$€£*~])*")
_UNIT_WORDS = re.compile(r"(?:(?<![a-zA-Z\d])[a-zA-Z]{4,20}(?![a-zA-Z\d])|[\s.$€£°*~])*")


def is_bare(answer: str) -> bool:
    r"""Whether an answer in LaTeX is one number and otherwise only words: `10\text{ cm}^2`, `$5`,
    `The result is 5`. Letters beside a number are variables there, unless they are a known unit, a
    word of four letters or inside `\text`."""
    if len(answer) > 400:
        return False
    plain = plain_maths(_TEXT.sub(_without_unit, answer))
    found = quantities(plain)
    if len(found) != 1 or is_part(plain, found[0]):
        return False
    before, after = plain[: found[0].start], plain[found[0].end :]
    words = _PROSE.fullmatch(before) and _UNIT_WORDS.fullmatch(plain, found[0].end)
    return words is not None and not _NO_UNIT.search(f"{before} {after}")


def has_no_unit(words: str) -> bool:
    """Whether words beside a number say more than the counted thing: `or`, `at least`, `mod`."""
    return _NO_UNIT.search(words) is not None


def _without_unit(text: re.Match[str]) -> str:
    return f" {text[1]} " if _NO_UNIT.search(text[1]) else " "


def quantities(plain: str) -> list[Quantity]:
    """All quantities in a text in plain notation; `1 hour 30 minutes` is one."""
    found: list[Quantity] = []
    for match in _QUANTITY.finditer(plain):
        read = _read(match)
        if read is None:
            continue
        if found and _goes_on(found[-1], read, plain):
            found[-1] = _sum(found[-1], read)
        else:
            found.append(read)
    return found


_JOINING = re.compile(r"[ ]?(?:,|and|,[ ]?and)?[ ]?")


def _goes_on(first: Quantity, second: Quantity, plain: str) -> bool:
    """Whether the second adds smaller units to the first: `5 feet 6 inches`, `$5 and 20 cents`."""
    if first.unit is None or second.unit is None or first.value < 0 or second.value < 0:
        return False
    dimension, factor = UNITS[first.unit]
    other, smaller = UNITS[second.unit]
    joined = _JOINING.fullmatch(plain, first.end, second.start) is not None
    return joined and dimension == other and smaller < factor


def _sum(first: Quantity, second: Quantity) -> Quantity:
    added = second.value * UNITS[second.unit or ""][1] / UNITS[first.unit or ""][1]
    return replace(first, value=first.value + added, decimals=None, end=second.end)


_BEFORE = re.compile(
    r"(?:√|π|±|\\pi|\\pm|\b(?:sqrt|log|ln|lg|exp|(?:arc)?(?:sin|cos|tan|cot|sec|csc)|gcd|lcm))"
    r"\s?(?:_\s?\{?\w{1,3}\}?)?\s?/?\s?[(\[{|]{0,3}\s?$"
    r"|[\^_]\s?[({]?$|\}\s?\{$|[)\]}]\s?[/*]\s?$"
    r"|(?:(?:^|[\w)]) ?[<>]=?|[≤≥≠]|\\[gl](?:eq?|t)|\\neq?|!=)\s?[$€£]?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s?!(?!=)|\s?[\^_]|\s?/?\s?(?:√|π|\\(?:sqrt|pi|pm|p?mod|bmod)\b)|\s?factorial\b"
    r"|\s?(?:[<>]=?\s?(?:[a-z]\b|[-\d])|[≤≥]|\\[gl](?:eq?|t)\b)"
    r"|[ ]?\b(?:ppm|ppb|bps|basis points?)\b"
    r"|\s?[-+*/]\s?(?-i:[a-z])(?![a-z’'])|\s?\(?mod\b|\+(?!\s?[\d$(])"
    r"|[ ]?(?:[a-z]{1,20}[ ])?\b(?:or|and)[ ](?:more|less|fewer|greater|above|below|over|under)\b",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(r"\|\s?$")
_VARIABLE_BEFORE = re.compile(r"(?<![a-zA-Z'’])[a-z]\s?[-+*/]\s?$")


def is_part(plain: str, found: Quantity) -> bool:
    """Whether a number is only a part of something else (`√9`, `10!`, `x^2`, `log 2`, `x > 5`) or
    has an unknown mark beside it (`4q`, `5''2`)."""
    before = plain[max(found.start - 24, 0) : found.start]
    if _BEFORE.search(before) or _AFTER.match(plain, found.end):
        return True
    if _ABSOLUTE.search(before) and plain[found.start] == "-":
        return True
    signed = before + plain[found.start] if plain[found.start] in "-+" else before
    if _VARIABLE_BEFORE.search(signed):
        return True
    return is_marked(plain, found.start, found.end)


def _read(match: re.Match[str]) -> Quantity | None:
    """The exact value; None if it is no number, for example a division by zero or an absurd
    exponent."""
    parts = match.groupdict()
    value = _value(parts)
    if value is None:
        return None
    if (parts["sign"] or "").strip().lower() in {"-", "minus", "negative"}:
        value = -value
    if parts["inner"] == "-":
        value = -value
    for scale in (parts["scale"], parts["more"]):
        value *= _SCALES.get((scale or "").lower(), 1)
    if "‰" in (parts["percent"] or ""):
        value /= 10
    plain = parts["plain"]
    word, currency = ((parts[name] or "").strip().lower() for name in ("unit", "currency"))
    unit = word if word in UNITS else currency
    return Quantity(
        value=value,
        percent=parts["percent"] is not None,
        unit=unit if unit in UNITS else None,
        decimals=len(plain.partition(".")[2]) if plain else None,
        start=match.start(),
        end=match.start("unit") if word and word not in UNITS else match.end(),
    )


def _value(parts: dict[str, str | None]) -> Fraction | None:
    if parts["whole"] and parts["top"] and parts["bottom"]:
        part = _ratio(parts["top"], parts["bottom"])
        return None if part is None else int(parts["whole"]) + part
    if parts["numerator"] and parts["denominator"]:
        return _ratio(parts["numerator"], parts["denominator"])
    number = _number(parts["plain"] or "0")
    exponent = int(parts["exponent"] or parts["tens"] or 0)
    if abs(exponent) > _MAX_EXPONENT:
        return None
    try:
        return power(number, int(parts["power"] or 1)) * Fraction(10) ** exponent
    except (ValueError, ZeroDivisionError):
        return None


def _ratio(top: str, bottom: str) -> Fraction | None:
    below = _number(bottom)
    return _number(top) / below if below else None


def _number(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))
