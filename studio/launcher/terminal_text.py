"""Makes texts of others safe to print. Models, servers and people may write escape sequences. These
can make a terminal clear itself, fill the clipboard or show one text as another.
"""

from typing import Any

_KEPT = "\n\t"
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Marks that reverse the order of letters."""
_SHOWN = {code: "\ufffd" for code in (*_CONTROLS, *_DIRECTIONS) if chr(code) not in _KEPT}
_ESCAPED = {code: f"\\u{code:04x}" for code in _SHOWN if code > 0x1F}


def printable(value: Any) -> Any:
    """The same value with U+FFFD for each control character in its texts. Positions are kept."""
    if isinstance(value, str):
        return value.translate(_SHOWN)
    if isinstance(value, dict):
        return {printable(name): printable(item) for name, item in value.items()}
    if isinstance(value, list):
        return [printable(item) for item in value]
    return value


def printable_json(text: str) -> str:
    """The same JSON, with the control characters that JSON allows written as escapes."""
    return text.translate(_ESCAPED)
