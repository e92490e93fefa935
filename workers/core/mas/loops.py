"""Finds repeated words at the end of a message that the token limit cut."""

import re

ROUNDS = 3
LEAST_CHARS = 40
LONGEST_ROUND = 400
_READ_CHARS = 8_000
_END = re.compile(r"[.!?](?=\s)|\n")


def without_loop(text: str) -> str:
    """`text` with only one round of what it repeats at its end, or unchanged.

    A loop is a round of at most 400 characters that comes at least three times, the last time
    perhaps in part, and repeats at least 40 characters.
    """
    tail = text[-_READ_CHARS:]
    for period in range(1, min(LONGEST_ROUND, len(tail) // 2) + 1):
        repeated = _repeated(tail, period)
        if repeated >= max((ROUNDS - 1) * period, LEAST_CHARS):
            start = len(text) - repeated
            # what comes before a loop may end as its rounds do: cut where a line or sentence ends
            end = _END.search(text, start, start + period)
            return text[: end.end() if end else start].rstrip()
    return text


def _repeated(text: str, period: int) -> int:
    """How many characters at the end equal those `period` before them."""
    count = 0
    for index in range(len(text) - 1, period - 1, -1):
        if text[index] != text[index - period]:
            break
        count += 1
    return count
