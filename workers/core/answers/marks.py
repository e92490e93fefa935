"""Reads marks beside digits: known ones get one plain spelling, unknown ones are found.

A number beside an unknown mark is not read. Without the mark it would be another number: `‑5` is
not 5, `3B` is not 3 and `7–8` is not −1.
"""

import re
import unicodedata

_MINUS = "\u2010\u2011\u2012\u2212\u02d7\ufe63\uff0d\u2796"
_INVISIBLE = (
    "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068"
    "\u2069\ufe0e\ufe0f\u20e3"
)
_PLAIN = (
    {ord(mark): "-" for mark in _MINUS}
    | {ord(mark): None for mark in _INVISIBLE}
    | {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code != 0xFF0D}
    | {ord(mark): plain for mark, plain in zip("\u3000\ufe6a٪٫٬、。﹩", " %%.,,.$", strict=True)}
)
_NEGATIVE = re.compile(r"(?:负|負|マイナス|마이너스)(?=\s?\d)")
_EN_DASH = re.compile(r"(?<!\d)(?<!\d )–|–(?! ?\d)")
"""Between two numbers it makes a range."""
_APOSTROPHE = re.compile(r"(?<=\d)['’‘ʼ´`](?=\d{3}(?!\d))")
_UNDERSCORE = re.compile(r"(?<=\d)_(?=\d{3}(?!\d))")
_DOTS = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,6}(?![\d,]|\.\d)")


def plain_marks(text: str) -> str:
    """The text with hyphens and minus signs as `-`, fullwidth forms as ASCII, without invisible
    characters, and thousands (`1'000`, `1_000`, `1.234.567`) without separators."""
    text = _NEGATIVE.sub("-", _EN_DASH.sub("-", text.translate(_PLAIN)))
    text = _UNDERSCORE.sub("", _APOSTROPHE.sub("", text))
    return _DOTS.sub(lambda found: found.group().replace(".", ""), text)


_WORD_AFTER = re.compile(r"[^\W\d_]{1,40}")
_WORD_BEFORE = re.compile(r"[^\W\d_]{1,40}$")
_CURRENCY_WORDS = re.compile(
    r"usd?|eur|gbp|rs|inr|r|au?|ca?|hk|nz|sg?|chf|rm|kr|sek|nok|dkk|jpy|cny|rmb|krw", re.IGNORECASE
)
_SYMBOLS = re.compile(
    r"st|nd|rd|th|[ap]m|px|pts?|pcs|[kmg]?hz|[km]?wh?|k?[vjn]|k?pa|mol|[mk]ph|kmh|rpm|[kmgt]b|m?ah"
    r"|cc|sq|ac|ha|[dc]l|[num]s|[nu]m|gal|qt|ans",
    re.IGNORECASE,
)
"""Symbols that may touch digits, besides the units that are converted."""
_SCALE_LETTERS = frozenset("万萬億亿兆千百十만억천백조")
_AFTER = frozenset(".,;:!?)]}>\"'”’»*_`$|=<+-/\\~≈≤≥≠→⇒…%^°&#！？√π±×÷·∙•—")
_BEFORE = frozenset("([{<>\"'“‘«*_`$|=+/\\~≈:;,.!?#@&→⇒…^√π±×÷·∙•-—≤≥≠)]}")
_OPEN_CATEGORIES = frozenset({"So", "Sc", "Ps", "Pe", "Pi", "Pf", "Zs", "Cc", "Zl", "Zp"})
"""Emoji, currencies, brackets, quotes and spaces."""
_UNCLEAR = re.compile(
    r"[\s-]{1,3}(?:mil|(?-i:[BbTkK])|tenths?|hundredths?|thousandths?|millionths?|billionths?|thirds?|fifths?"
    r"|sixths?|sevenths?|eighths?|ninths?|squared|cubed|to the power|gross|basis points?|bps)\b",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"(?:\.{2,3}|…)\s?\d")
_PARTIAL = re.compile(
    r"\b(?:(?:half|quarters?|thirds?|double|twice|triple)(?: (?:an?|of|the)){0,2}"
    r"|at (?:least|most)|(?:more|less|fewer|greater|larger|smaller) than|up to"
    r"|over|under|above|below) [$€£]?$",
    re.IGNORECASE,
)


def is_marked(text: str, start: int, end: int) -> bool:
    """Whether the number at `start`..`end` has an unknown mark or word beside it."""
    return _marked_after(text, end) or _marked_before(text, start)


def _marked_after(text: str, end: int) -> bool:
    if _UNCLEAR.match(text, end) or (text[end - 1 : end] == " " and _UNCLEAR.match(text, end - 1)):
        return True
    mark = text[end : end + 1]
    if not mark or not text[end - 1].strip():
        return False
    if mark.isalpha():
        return not _known_word(_WORD_AFTER.match(text, end))
    if (mark in "'’‘ʼ´`_.,\\" and text[end + 1 : end + 2].isdigit()) or _DOTTED.match(text, end):
        return True
    return mark not in _AFTER and unicodedata.category(mark) not in _OPEN_CATEGORIES


def _known_word(found: re.Match[str] | None) -> bool:
    word = found.group().lower() if found else ""
    if not word.isascii():
        return not _SCALE_LETTERS & {*word}
    return len(word) > 3 or _SYMBOLS.fullmatch(word) is not None


def _marked_before(text: str, start: int) -> bool:
    if start == 0 or _PARTIAL.search(text[max(start - 24, 0) : start]):
        return start > 0
    mark, before = text[start - 1], text[max(start - 2, 0) : start - 1]
    if mark.isalpha():
        found = _WORD_BEFORE.search(text[max(start - 40, 0) : start])
        word = found.group() if found else ""
        return word.isascii() and not _CURRENCY_WORDS.fullmatch(word)
    known = {
        "-": text[start] not in "-+" and not before.isalpha(),
        "—": bool(before.strip()),
        "'": not before.isdigit(),
        "’": not before.isdigit(),
        '"': not before.isdigit(),
        ",": not before.isdigit(),
        "\\": not before.isdigit(),
    }
    ordinary = mark in _BEFORE or unicodedata.category(mark) in _OPEN_CATEGORIES
    return not known.get(mark, ordinary)
