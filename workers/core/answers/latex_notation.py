r"""Turns Unicode and plain words in an expression into LaTeX that a parser reads: `√2`, `x²+1`,
`2pi`."""

import math
import re
import unicodedata

from workers.core.answers.marks import plain_marks
from workers.core.answers.notation import with_repeating

_COMMANDS = {
    "∞": r"\infty",
    "×": r"\times",
    "·": r"\cdot",
    "⋅": r"\cdot",
    "÷": r"\div",
    "≤": r"\le",
    "⩽": r"\le",
    "≥": r"\ge",
    "⩾": r"\ge",
    "≠": r"\ne",
    "±": r"\pm",
    "∓": r"\mp",
    "∈": r"\in",
    "∪": r"\cup",
    "∩": r"\cap",
    "⊂": r"\subset",
    "⊆": r"\subseteq",
    "∅": r"\emptyset",
    "ℝ": r"\mathbb{R}",
    "ℤ": r"\mathbb{Z}",
    "∫": r"\int",
    "∑": r"\sum",
    "∏": r"\prod",
    "⌊": r"\lfloor",
    "⌋": r"\rfloor",
    "⌈": r"\lceil",
    "⌉": r"\rceil",
}
_GREEK = re.compile(r"[\u03b1-\u03c9\u0393\u0394\u0398\u039b\u039e\u03a0\u03a3\u03a6\u03a8\u03a9]")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ"
_LOWERED = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙₓ"
_ROOT = re.compile(
    r"([√∛∜]|(?<![\\a-zA-Z])sqrt)\s?(?:\(([^()]{1,200})\)|\{([^{}]{1,200})\}|(\d+|\w))"
)
_ORDERS = {"∛": "[3]", "∜": "[4]"}
_UPRIGHT = re.compile(r"\\(?:mathrm|text|operatorname)\s?\{\s?([eixyz])\s?\}")
"""Upright constants and variables, which the parser would drop like a unit."""
_DOUBLE_FACTORIAL = re.compile(r"(?<![\d.\w])(\d{1,3})\s?!\s?!(?!\s?!)")
_MOST_DOUBLED = 300
_PI = re.compile(r"(?<![a-zA-Z\\])pi(?![a-zA-Z])")
_INFINITY = re.compile(r"(?<![a-zA-Z\\])(?:inf|infinity|oo)(?![a-zA-Z])")
_DEGREES = re.compile(r"\s?(?:°|º|\bdegrees?\b)")
_VULGAR = re.compile(r"[¼-¾⅐-⅞]")


def latex_notation(text: str) -> str:
    """The expression in ASCII and commands only, where that means the same."""
    text = _UPRIGHT.sub(r"\1 ", with_repeating(plain_marks(text)))
    text = _DOUBLE_FACTORIAL.sub(_product, text)
    text = _ROOT.sub(_root, text)
    text = _scripts(_scripts(text, _RAISED, "^"), _LOWERED, "_")
    text = _VULGAR.sub(_vulgar, text)
    for sign, command in _COMMANDS.items():
        text = text.replace(sign, f"{command} ")
    text = _GREEK.sub(_greek, text)
    text = _INFINITY.sub(r"\\infty", _PI.sub(r"\\pi ", text))
    return _DEGREES.sub(r"^\\circ", text)


def _product(found: re.Match[str]) -> str:
    """The value of a double factorial, which the parser does not know. A large one stays."""
    number = int(found[1])
    return str(math.prod(range(number, 0, -2))) if number <= _MOST_DOUBLED else found[0]


def _root(found: re.Match[str]) -> str:
    sign, *inside = found.groups()
    return rf"\sqrt{_ORDERS.get(sign, '')}{{{next(filter(None, inside))}}}"


def _scripts(text: str, signs: str, mark: str) -> str:
    return re.sub(
        f"[{signs}]+", lambda found: f"{mark}{{{unicodedata.normalize('NFKC', found[0])}}}", text
    ).replace("−", "-")


def _vulgar(found: re.Match[str]) -> str:
    top, _, bottom = unicodedata.normalize("NFKC", found.group()).partition("⁄")
    before = found.string[max(found.start() - 1, 0) : found.start()]
    return f"{' ' if before.isdigit() else ''}\\frac{{{top}}}{{{bottom}}}"


def _greek(found: re.Match[str]) -> str:
    name = unicodedata.name(found.group()).rpartition(" ")[2].lower().replace("lamda", "lambda")
    capital = found.group().isupper()
    return f"\\{name.capitalize() if capital else name} "
