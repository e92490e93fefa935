import time
from email.utils import formatdate

import pytest

from workers.core.llm.retry import RetryPolicy, parse_retry_after, read_retry_after, read_words
from workers.core.llm.types import LLMError


def error(code: str = "server_error", permanent: bool = False) -> LLMError:
    return LLMError(code=code, message="", permanent=permanent)


def test_waits_grow_up_to_the_longest_and_end() -> None:
    policy = RetryPolicy(tries=6, base_seconds=1, longest_seconds=4)
    for retries, longest in enumerate([1, 2, 4, 4, 4]):
        wait = policy.wait(error(), retries)
        assert wait is not None
        assert longest / 2 <= wait <= longest
    assert policy.wait(error(), 5) is None


def test_a_permanent_error_is_not_tried_again() -> None:
    assert RetryPolicy().wait(error(permanent=True), 0) is None


def test_timeouts_have_their_own_number_of_tries() -> None:
    policy = RetryPolicy(tries=5, timeout_tries=2)
    assert policy.wait(error("timeout"), 0) is not None
    assert policy.wait(error("timeout"), 1) is None


def test_retry_after_replaces_the_wait_up_to_its_cap() -> None:
    policy = RetryPolicy(longest_retry_after=30)
    limited = error("rate_limited")
    for asked, wait in ((0.0, 0.0), (30.0, 30.0), (31.0, None)):
        limited.retry_after = asked
        assert policy.wait(limited, 0) == wait


NOW = "Wed, 21 Oct 2015 07:28:00 GMT"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("2 s", 2.0),
        ("2s", 2.0),
        (" 2 ", 2.0),
        (None, None),
        ("", None),
        ("-1", None),
        ("inf", None),
        ("nan", None),
        ("Wed, 21 Oct 2015 07:28:06 GMT", 6.0),
        ("Wednesday, 21-Oct-15 07:28:06 GMT", 6.0),
        ("Wed, 21 Oct 2015 09:28:06 +0200", 6.0),
        (NOW, None),
        ("Wed, 21 Oct 2015 07:27:00 GMT", None),
        ("Wed, 32 Oct 2015 07:27:00 GMT", None),
        ("soon", None),
    ],
)
def test_the_header_counts_from_the_date_of_the_reply(
    header: str | None, seconds: float | None
) -> None:
    assert parse_retry_after(header, date=NOW) == seconds


def test_a_moment_counts_from_now_without_a_date() -> None:
    in_a_minute = formatdate(time.time() + 60, usegmt=True)
    assert parse_retry_after(in_a_minute) == pytest.approx(60, abs=2)
    assert parse_retry_after(in_a_minute, date="nonsense") == pytest.approx(60, abs=2)
    assert parse_retry_after(NOW) is None


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Limit 30000. Please try again in 6.2s. Visit our page.", 6.2),
        ("Please retry after 6 seconds.", 6),
        ("Quota exceeded. Please retry in 34.07s.", 34.07),
        ("Try again in 1m30s", 90),
        ("try again in 250ms", 0.25),
        ("Please try again in 2 minutes", 120),
        ("Please try again in 1h2m", 3_720),
        ("Try again later.", None),
        ("retry in 5", None),
        ("failed after 30s; retry", None),
        ("", None),
    ],
)
def test_a_wait_in_words(words: str, seconds: float | None) -> None:
    assert read_words(words) == pytest.approx(seconds) if seconds else read_words(words) is None


def test_the_headers_of_a_reply() -> None:
    assert read_retry_after({"Retry-After-Ms": "250", "Retry-After": "9"}) == 0.25
    assert read_retry_after({"Retry-After": "Wed, 21 Oct 2015 07:28:06 GMT", "Date": NOW}) == 6.0
    assert read_retry_after({}) is None
