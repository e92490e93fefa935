"""Finds the number that an answer commits to. An answer that leaves several open commits to
none."""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from workers.core.answers.arithmetic import computed
from workers.core.answers.notation import boxed, plain_maths
from workers.core.answers.number_words import in_digits
from workers.core.answers.quantities import Quantity, is_part, quantities
from workers.core.answers.units import UNITS

_MAX_CHARS = 4_000
_MAX_BOXES = 20


def final_quantity(text: str) -> Quantity | None:
    r"""The one quantity that an answer commits to, or None.

    The content of `\boxed{…}`; otherwise what `####` or “the answer is” announces; otherwise what
    follows the last `=` or `≈`; otherwise what closing words (`so`, `total`, …) introduce;
    otherwise the last one before words that only explain it (`18 dollars for 2 days`, `12 (3 boxes
    of 4)`). Candidates (`18 or 20`, `18, 20`, `10 to 12`, two boxes), a computation in prose that
    is not carried out, and a number that is only a part of an expression (`√9`, `10!`) commit to
    nothing. A number in words counts where there are no digits.
    """
    text = text[-_MAX_CHARS:]
    boxes = boxed(text)[-_MAX_BOXES:]
    if not boxes:
        return _committed(_readable(text))
    given = [_committed(_readable(box)) for box in boxes]
    last = given[-1]
    return last if all(each and last and _same(each, last) for each in given) else None


_CALCULATED = re.compile(r"<<[^<>]{0,200}>>")  # GSM8K's `$<<9*2=18>>18`
_TAGS = re.compile(r"</?[a-z]{1,12}\s?/?>")
_LABEL = re.compile(r"\b(?:step|question|problem|part|case|example) \d{1,3}(?=[:)])", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:not|rather than|instead of)\s{1,3}(?=[-$(]{0,3}\.?\d)"
    r"(?:(?! but\b)(?:[^.,;)\n]|[.,](?=\d))){1,80}",
    re.IGNORECASE,
)
_UNIT_POWER = re.compile(r"\b([cmk]?m|ft|feet|foot|in|inch(?:es)?|yd|units?|miles?)\s?\^\s?[23]\b")
_AND_A_HALF = re.compile(r"(?<=\d) and (?:a|one|1) half\b", re.IGNORECASE)


_POINT = re.compile(r"(?<=\d) point (\d(?: \d){0,20})\b")


def _decimal(found: re.Match[str]) -> str:
    return f".{found[1].replace(' ', '')}"


def _readable(text: str) -> str:
    """The text in plain notation, without markup, step labels and what the answer denies."""
    text = _TAGS.sub(" ", _CALCULATED.sub(" = ", plain_maths(text)))
    if not re.search(r"\d", text):
        text = _POINT.sub(_decimal, in_digits(text))
    text = _DENIED.sub(" ", _LABEL.sub(" ", text))
    return _AND_A_HALF.sub(" 1/2", _UNIT_POWER.sub(r"\1", text))


_ANNOUNCED = re.compile(
    r"(?:####|\banswer(?: is|:))\W{0,10}?(?:[a-z]{1,20}\W{1,4}){0,2}?(?=[-+$€£(]{0,3}\.?\d)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")
_WAS_THE_ANSWER = re.compile(
    r"[^\d.!?\n]{0,40}\bis (?:the|my|our) (?:(?:final|correct|right) )?answer\b(?! is)",
    re.IGNORECASE,
)


def _committed(text: str) -> Quantity | None:
    if _names_several(text):
        return None
    for found in quantities(text):
        if _WAS_THE_ANSWER.match(text, found.end):
            return _chosen(text[: found.end])
    announced = list(_ANNOUNCED.finditer(text))
    if announced:
        start = announced[-1].end()
        end = _SENTENCE_END.search(text, start)
        text = text[start : end.start() if end else len(text)]
    return _chosen(text)


_ASSIGNED = re.compile(r"\W{0,4}([a-zA-Z]\w{0,2})\s?=\s?[-+$€£]{0,2}[\d.,/ ]{1,40}?\W{0,4}")


def _names_several(text: str) -> bool:
    """Whether it is only values of different variables: `x = 5, y = 6`."""
    found = [_ASSIGNED.fullmatch(part) for part in _PARTS.split(text.strip())]
    return len({each[1] for each in found if each}) > 1 and all(found)


_PARTS = re.compile(r"\s?(?:[;,&\n]|,?\s(?:and|or)\b)\s?(?=[a-zA-Z$])")


_EQUALS = re.compile(r"[=≈]|\bequals\b")
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


_SIGNED = re.compile(r"-\s?\(")
_CLOSE_PAIR = re.compile(r"\W{0,9}(\d{1,9})-(\d{1,9})\W{0,9}")


def _is_range(text: str) -> bool:
    """As an answer `7-8` is not a computation; `8-7` and `7 - 8` are."""
    pair = _CLOSE_PAIR.fullmatch(text)
    return pair is not None and int(pair[1]) < int(pair[2])


def _chosen(text: str) -> Quantity | None:
    found = quantities(text)
    if not found:
        return None
    equals = [word.end() for word in _EQUALS.finditer(text) if word.end() <= found[-1].start]
    start = equals[-1] if equals else 0
    several = sum(each.start >= start for each in found) > 1
    if (several and not _is_range(text[start:])) or _SIGNED.search(text, start):
        value = computed(text[start:])
        if value is not None:
            return Quantity(value, decimals=None)
    chosen = _unexplained(text, found, start)
    return None if is_part(text, found[chosen]) or _is_open(text, found, chosen) else found[chosen]


def _unexplained(text: str, found: Sequence[Quantity], start: int) -> int:
    """The position in `found` of the last one before words that explain it."""
    for word in _CLOSING.finditer(text, start):
        if found[-1].start >= word.end():
            start = word.end()
    rest = [place for place, each in enumerate(found) if each.start >= start]
    for word in _EXPLAINING.finditer(text, start):
        before = [place for place in rest if found[place].end <= word.start()]
        if before:
            return before[-1]
    return rest[-1]


_OR = re.compile(
    r"\s?(?:[a-z°]{1,20}\s?){0,2}[,(]?\s?\b(?:or|versus|vs\.?)\s(?:\S{1,12}\s){0,2}[($]?",
    re.IGNORECASE,
)
_AND = re.compile(
    r"\s?(?:[a-z°]{1,20}\s?){0,3},?\s?\band\s(?:[a-z]{1,12}\s?=\s?)?[($]?", re.IGNORECASE
)
_RANGE = re.compile(r"\s?(?:[a-z°]{1,20}\s)?(?:to|through|up to|~|[–—])\s?", re.IGNORECASE)
_LIST = re.compile(r"\s?(?:[,;&|]|,?\s?and)?\s?|:", re.IGNORECASE)
_COMPUTATION = re.compile(r"\s?(?:[a-z]{1,20}\s)?[-+*/^x]\s?\(?\s?", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween (?:about )?$", re.IGNORECASE)
_WHEN = re.compile(r"\b(?:in|by|on|at|after|since|until) $", re.IGNORECASE)


def _is_open(text: str, found: Sequence[Quantity], chosen: int) -> bool:
    """Whether the number is one of several candidates, or a part of a computation."""
    pairs = pairwise(found[max(chosen - 1, 0) : chosen + 2])
    return any(_are_open(text, first, second) for first, second in pairs)


def _are_open(text: str, first: Quantity, second: Quantity) -> bool:
    link, before = text[first.end : second.start], text[max(first.start - 16, 0) : first.start]
    sign = text[second.start : second.start + 2]
    if _COMPUTATION.fullmatch(link + sign if sign in {"+ ", "- "} else link):
        return True
    if _same(first, second):
        return False
    if _LIST.fullmatch(link):  # `in 2020, 72` lists nothing
        return _WHEN.search(before) is None
    joined = any(joining.fullmatch(link) for joining in (_OR, _AND, _RANGE))
    return joined or _BETWEEN.search(before) is not None


def _same(first: Quantity, second: Quantity) -> bool:
    as_written = (first.value, first.percent) == (second.value, second.percent)
    return as_written or _size(first) == _size(second)


def _size(given: Quantity) -> tuple[str, Fraction]:
    dimension, factor = UNITS.get(given.unit or "", ("", Fraction(1)))
    return dimension, given.value * factor / (100 if given.percent else 1)
