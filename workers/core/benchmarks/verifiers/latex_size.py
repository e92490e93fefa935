r"""Finds numbers in an expression that are too large to write down, before anything computes them.

`99999999999!`, `9^{9^{9}}` and `\sum_{k=1}^{10^9}` keep a process busy until its time is up.
Finding them takes microseconds.
"""

import math
import re

MOST_EXPONENT = 20_000.0
MOST_FACTORIAL = 5_000.0
_READ_POWERS = 200
_LAYOUT = re.compile(r"\s|\\(?:left|right|!|,|;|:)(?![a-zA-Z])|\\[()\[\]]|[$,]")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_FACTORIAL = re.compile(r"(\d+(?:\.\d+)?|[)}])!")
_CHOOSE = re.compile(r"\\(?:[dt]?binom\{(\d+)\}|Gamma\(?\{?(\d+))|(\d+)\\choose")
_OPENING, _CLOSING = "({", ")}"


def too_large(expression: str) -> bool:
    """Whether a factorial, a power of powers or a bound of a sum in it is too large to compute."""
    text = _LAYOUT.sub("", expression.replace("**", "^"))
    chosen = (next(filter(None, found.groups())) for found in _CHOOSE.finditer(text))
    if any(_float(number) > MOST_EXPONENT for number in chosen):
        return True
    if any(_factorial_of(text, found) > MOST_FACTORIAL for found in _FACTORIAL.finditer(text)):
        return True
    powers = [place for place, sign in enumerate(text) if sign == "^"][:_READ_POWERS]
    return any(
        place > 0
        and (text[place - 1].isdigit() or text[place - 1] in _CLOSING)
        and abs(_value(_group(text, place + 1))) > MOST_EXPONENT
        for place in powers
    )


def _factorial_of(text: str, found: re.Match[str]) -> float:
    """The size of a factorial's argument."""
    if found[1] not in _CLOSING:
        return _float(found[1])
    depth, start = 0, found.start(1)
    for start in range(found.start(1), -1, -1):
        depth += (text[start] in _CLOSING) - (text[start] in _OPENING)
        if depth == 0:
            break
    return abs(_value(text[start + 1 : found.start(1)]))


def _group(text: str, start: int) -> str:
    """The exponent that begins at `start`: the content of its brackets, or a number."""
    if text[start : start + 1] and text[start] in _OPENING:
        depth = 0
        for end in range(start, len(text)):
            depth += (text[end] in _OPENING) - (text[end] in _CLOSING)
            if depth == 0:
                return text[start + 1 : end]
        return text[start + 1 :]
    found = _NUMBER.match(text, start)
    if found is None:
        return ""
    tower = text[found.end() : found.end() + 1] in {"^", "!"}
    return text[start:] if tower else found.group()


def _value(text: str) -> float:
    """The rough value of a group of numbers and powers; 0 if it has variables."""
    text = text.strip("(){}")
    base = _NUMBER.match(text)
    if base is None:
        return 0.0
    number, rest = _float(base.group()), text[base.end() :]
    if rest.startswith("!"):
        return math.gamma(number + 1) if 0 <= number < 100 else math.inf
    if rest.startswith("^"):
        exponent = _value(_group(rest, 1))
        try:
            return math.pow(abs(number), exponent)
        except (OverflowError, ValueError):
            return math.inf
    return number


def _float(text: str) -> float:
    return float(text[:400])
