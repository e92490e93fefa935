"""Decides when a call is tried again, and after how long."""

import math
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from workers.core.llm.types import LLMError

_SECONDS = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*(?:s|sec|secs|seconds?)?\s*", re.IGNORECASE)


_AMOUNT = r"\d{1,6}(?:\.\d{1,9})?"
_TOLD = re.compile(
    rf"(?:try again|retry)\b.{{0,20}}?\b(?:in|after):? ((?:{_AMOUNT}\s?(?:ms|h|m|s)[a-z]*\s?)+)",
    re.IGNORECASE,
)
_PART = re.compile(rf"({_AMOUNT})\s?(ms|h|m|s)", re.IGNORECASE)
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3_600}


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff with jitter: try k waits in [½, 1] · min(base · 2^k, longest) seconds.

    `timeout_tries` is smaller than `tries`, because each of them has already cost the whole
    timeout. A server's Retry-After replaces the wait, up to `longest_retry_after`. If the server
    asks for more, the call fails at once: the run would be over before the server is ready.
    """

    tries: int = 4
    timeout_tries: int = 2
    base_seconds: float = 0.5
    longest_seconds: float = 20.0
    longest_retry_after: float = 60.0

    def wait(self, error: LLMError, retries: int) -> float | None:
        """Seconds before the next try after `retries` retries; None: give up."""
        tries = self.timeout_tries if error.code == "timeout" else self.tries
        if error.permanent or retries + 1 >= tries:
            return None
        asked = error.retry_after
        if asked is not None:
            return asked if asked <= self.longest_retry_after else None
        longest: float = min(self.base_seconds * 2**retries, self.longest_seconds)
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 jitter is no secret


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a reply's headers ask to wait: `Retry-After-Ms` (Azure) or `Retry-After`."""
    milliseconds = read_seconds(headers.get("Retry-After-Ms"))
    if milliseconds is not None:
        return milliseconds / 1_000
    return parse_retry_after(headers.get("Retry-After"), date=headers.get("Date"))


def parse_retry_after(header: str | None, *, date: str | None = None) -> float | None:
    """Seconds from a Retry-After header: a number, or a time after `date`, the reply's own Date.

    None for an unreadable value and for a time that has passed. Without a `date` it is compared
    with our clock. (RFC 9110, 10.2.3.)
    """
    if not header:
        return None
    if (seconds := read_seconds(header)) is not None:
        return seconds
    until, now = _moment(header), _moment(date) or datetime.now(UTC)
    if until is None:
        return None
    left = (until - now).total_seconds()
    return left if left > 0 else None


def read_seconds(value: object) -> float | None:
    """`6`, `6.5` or `"6 s"` in seconds; None for anything else."""
    if isinstance(value, str):
        found = _SECONDS.fullmatch(value)
        return float(found[1]) if found else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None


def read_words(text: str) -> float | None:
    """Seconds from “try again in 6.2s” (OpenAI, Groq), “retry after 6 seconds” (Azure), “1m30s”."""
    if not (found := _TOLD.search(text)):
        return None
    return sum(float(n) * _UNITS[unit.lower()] for n, unit in _PART.findall(found[1]))


def _moment(header: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(header) if header else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment
