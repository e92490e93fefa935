"""Estimates how much text fits a context: every model counts tokens differently."""

CHARS_PER_TOKEN = 3.5
"""English prose has 4 to 4.5 characters per token. Code, numbers and names have fewer."""

_HEAD = 0.6


def fit_tokens(text: str) -> int:
    """Tokens of `text`, rather too many than too few: 3.5 ASCII characters make one, any other
    character is one."""
    if text.isascii():
        return int(len(text) / CHARS_PER_TOKEN) + 1
    plain = len(text.encode("ascii", "ignore"))
    return int(plain / CHARS_PER_TOKEN) + len(text) - plain + 1


def shorten(text: str, room_tokens: int) -> str:
    """`text` within `room_tokens`. If it is too long, its middle is left out.

    The end stays because answers are there. The gap says how much is missing.
    """
    need = fit_tokens(text)
    if need <= room_tokens:
        return text
    keep = int(len(text) * max(room_tokens - 12, 0) / need)
    head = int(keep * _HEAD)
    tail = keep - head
    gap = f"[… {len(text) - keep:,} characters left out …]"
    return f"{text[:head]}\n{gap}\n{text[len(text) - tail :]}" if keep else gap
