"""When a call is tried again, and after how long."""

from __future__ import annotations

import random
from dataclasses import dataclass

from workers.core.llm.types import LLMError


class RateLimited(LLMError):
    """Too many requests; `retry_after` is what the server asked for in seconds, None if nothing."""

    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff with jitter: try k waits in [½, 1] · min(base · 2^k, longest) seconds.

    `timeout_tries` is smaller than `tries`: each of them has already cost the whole timeout. A
    server's Retry-After replaces the wait, up to `longest_retry_after`; asked to wait longer than
    that, the call fails at once, because the run would be over before the server is ready.
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
        asked = error.retry_after if isinstance(error, RateLimited) else None
        if asked is not None:
            return asked if asked <= self.longest_retry_after else None
        longest: float = min(self.base_seconds * 2**retries, self.longest_seconds)
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 jitter is no secret


def parse_retry_after(header: str | None) -> float | None:
    """Seconds from a Retry-After header; the date form and nonsense are None."""
    try:
        seconds = float(header) if header else -1.0
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
