"""English number words: `twenty-five`, `one hundred and five`, `minus three`."""

from __future__ import annotations

import re

_ONES = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen",
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SMALL = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * place for place, word in enumerate(_TENS, start=2)
}
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_MAX_WORDS = 400


def number_in_words(text: str) -> int | None:
    """The last number that is written in words; None when there is none. “One” alone counts only
    when the text is nothing else: “no one knows” names no number."""
    words = re.findall(r"[a-z]{1,20}", text.lower())[-_MAX_WORDS:]
    last = None
    place = 0
    while place < len(words):
        length = _length(words, place)
        if length and (words[place : place + length] != ["one"] or len(words) <= 2):
            value = _value(words[place : place + length])
            negative = place > 0 and words[place - 1] in {"minus", "negative"}
            last = -value if negative else value
        place += length or 1
    return last


def _length(words: list[str], start: int) -> int:
    """How many words from `start` belong to one number."""
    if words[start] not in _SMALL:
        return 0
    place = start + 1
    while place < len(words):
        joined = words[place] == "and" and _goes_on(words, place)
        known = words[place] in _SMALL or words[place] in _LARGE or words[place] == "hundred"
        if not (joined or known) or _new_number(words, place):
            break
        place += 1
    return place - start


def _goes_on(words: list[str], place: int) -> bool:
    """`one hundred and five`, but not `three and five`."""
    after = words[place + 1] if place + 1 < len(words) else ""
    return after in _SMALL and (words[place - 1] == "hundred" or words[place - 1] in _LARGE)


def _new_number(words: list[str], place: int) -> bool:
    """Two small words side by side are one number only as tens and ones: `twenty five`."""
    before, word = words[place - 1], words[place]
    if before not in _SMALL or word not in _SMALL:
        return False
    return not (before in _TENS and 1 <= _SMALL[word] <= 9)


def _value(words: list[str]) -> int:
    total = group = 0
    for word in words:
        if word == "hundred":
            group = max(group, 1) * 100
        elif word in _LARGE:
            total, group = total + max(group, 1) * _LARGE[word], 0
        else:
            group += _SMALL.get(word, 0)
    return total + group
