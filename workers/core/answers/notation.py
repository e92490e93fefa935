"""Gives one plain spelling to what people, models and LaTeX write in many ways."""

import re
import unicodedata
from fractions import Fraction

from workers.core.answers.marks import plain_marks

_SPACES_IN_NUMBERS = re.compile(
    r"(?<=\d)(?:[\u00a0\u2007\u2009\u202f]|\\[,;!]|\{,\}(?=\d{3}))(?=\d{3})"
)
_SPACED = re.compile(r"(?<![\d.,/^])[1-9]\d{0,2}(?: \d{3}){1,6}(?![\d,/])")
_COMMANDS = re.compile(r"\\(?:left|right|displaystyle|!|,|;|:|quad)(?![a-zA-Z])")
_BOXES = re.compile(r"\\(?:boxed|fbox|text|textbf|mathrm|mathbf|mbox)\s{0,4}\{([^{}]{0,500})\}")
_ARGUMENT = r"(?:\{\s{0,4}([-+]?[\d.,]{1,60})\s{0,4}\}|(\d))"
_FRACTION = re.compile(rf"\\[dtc]?frac\s{{0,4}}{_ARGUMENT}\s{{0,4}}{_ARGUMENT}")
_POWER = re.compile(r"\^\s?\{\s{0,4}([-+]?\d{1,5})\s{0,4}\}")
_STARRED_POWER = re.compile(r"(?<=\d)\*\*(?=-?\d)")
_EUROPEAN = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3}){1,6},\d{1,2}(?![\d.,])")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUPERSCRIPT = re.compile(r"(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]{1,4}")
_RAISED_RUN = re.compile(r"(?<=[\w)\]}])[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]{1,20}")
_BOX = re.compile(r"\\(?:boxed|fbox)\s{0,4}\{")
_AFTER_BOX = re.compile(r"\s{0,2}(?:\\?%|\\text\s?\{[^{}]{0,40}\}|[a-zA-Z°€£]{1,20})?")
_PLAIN = {
    "⁄": "/",
    "∕": "/",
    "×": "*",
    "·": "*",
    r"\times": "*",
    r"\cdot": "*",
    "÷": "/",
    r"\div": "/",
    r"\$": "$",
    r"\%": "%",
    r"\approx": "≈",
    r"\degree": "°",
    r"^\circ": "°",
    r"^{\circ}": "°",
    "**": " ",
    "$$": " ",
}


_REPEATING = re.compile(
    r"(?<![\d.])(\d{1,20})\.(\d{0,20})(?:\\(?:overline|bar|dot|overbar)\s?\{(\d{1,20})\}|\((\d{1,20})\)(?![\d(]))"
    r"|(?<![\d.])(\d{1,20})\.(\d{0,20}?)((?:\d\u0305){1,20})"
)


def with_repeating(text: str) -> str:
    r"""`0.\overline{3}`, `0.(3)` and `0.3̅` as `\frac{1}{3}`."""
    return _REPEATING.sub(_repeating, text)


def _repeating(found: re.Match[str]) -> str:
    whole, first, period = (
        (found[5], found[6], found[7].replace("\u0305", ""))
        if found[5]
        else (found[1], found[2], found[3] or found[4])
    )
    finite = int(whole + first)
    size = 10 ** len(first)
    value = Fraction(finite, size) + Fraction(int(period), size * (10 ** len(period) - 1))
    return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"


def plain_maths(text: str) -> str:
    r"""LaTeX and Unicode around numbers as ASCII: `1\frac{1}{2}` → `1 1/2`, `½` → `1/2`,
    `1{,}000` → `1,000`, `1 000` → `1000`, `2 \times 10^{3}` → `2 * 10^3`, `2**3` → `2^3`,
    `1.000,50` → `1000.50`."""
    text = with_repeating(plain_marks(text))
    text = _SPACES_IN_NUMBERS.sub(lambda gap: "," if gap.group() == "{,}" else "", text)
    text = _STARRED_POWER.sub("^", text)  # two stars beside anything else are Markdown's
    for written, meant in _PLAIN.items():
        text = text.replace(written, meant)
    text = _SUPERSCRIPT.sub(lambda found: "^" + found.group().translate(_RAISED), text)
    text = _COMMANDS.sub("", text)
    for _ in range(4):  # boxes nest: \boxed{5\text{ km}}
        text = _BOXES.sub(r" \1 ", text)
    text = _FRACTION.sub(_fraction, text)
    text = _POWER.sub(r"^\1", text)
    text = "".join(_vulgar(character) for character in text)
    text = _SPACED.sub(lambda found: found.group().replace(" ", ""), text)
    return _EUROPEAN.sub(lambda found: found.group().replace(".", "").replace(",", "."), text)


def boxed(text: str) -> list[str]:
    r"""The contents of the outermost `\boxed{…}`, each with the percent sign or unit after it."""
    found, end = [], 0
    for box in _BOX.finditer(text):
        if box.start() < end:
            continue
        closing = _closing_brace(text, box.end())
        if closing < 0:
            break
        after = _AFTER_BOX.match(text, closing + 1)
        found.append(text[box.end() : closing] + (after.group() if after else ""))
        end = closing
    return found


def _closing_brace(text: str, start: int) -> int:
    """The end of the brace that was opened just before `start`; -1 if there is none."""
    depth = 1
    for brace in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return brace.start()
    return -1


def plain_text(text: str) -> str:
    """The text for comparing words: compatibility forms and case folded, spaces collapsed, outer
    quotes, markdown and punctuation removed."""
    folded = " ".join(compatible(text).casefold().split())
    return folded.strip(" .,;:!?*_`'\"“”‘’$")


def compatible(text: str) -> str:
    """The text in Unicode's compatibility forms. Raised digits stay raised: `10²` is not 102."""
    return unicodedata.normalize("NFKC", _RAISED_RUN.sub(_as_power, text))


def _as_power(found: re.Match[str]) -> str:
    return "^" + found.group().translate(_RAISED)


def _fraction(found: re.Match[str]) -> str:
    top, digit, bottom, last = found.groups()
    before = found.string[max(found.start() - 2, 0) : found.start()].strip()[-1:]
    gap = " " if before.isdigit() else ""
    return f"{gap}{top or digit}/{bottom or last}"


def _vulgar(character: str) -> str:
    """½ as ` 1/2`: the space keeps 1½ from becoming 11/2."""
    if unicodedata.category(character) != "No":
        return character
    parts = unicodedata.normalize("NFKD", character).partition("⁄")
    return f" {parts[0]}/{parts[2]}" if parts[2] else character
